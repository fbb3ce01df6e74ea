import { useEffect, useRef } from "react";

type Find = () => HTMLElement | null | undefined;

/**
 * Takes the focus to what appears with the next change: who adds or removes something by the keyboard goes on there,
 * since the button that was pressed may be gone.
 */
export function useFocusNext(): (find: Find) => void {
  const wanted = useRef<Find | null>(null);
  useEffect(() => {
    const find = wanted.current;
    wanted.current = null;
    find?.()?.focus();
  });
  return (find) => {
    wanted.current = find;
  };
}
