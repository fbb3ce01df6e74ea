import { Button, Menu } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { Download } from "lucide-react";
import { useState } from "react";
import { drawMap, rasterize } from "./image.js";
import styles from "./map.module.css";
import type { PlacedSection } from "./use-layout.js";

interface ExportMenuProps {
  readonly sections: readonly PlacedSection[];
  /** Whether all of the map is there. */
  readonly isReady: boolean;
}

/** Saves the whole map, also what is not in view, as an image. */
export function ExportMenu({ sections, isReady }: ExportMenuProps) {
  const [isDrawing, setDrawing] = useState(false);
  const save = async (format: "svg" | "png") => {
    setDrawing(true);
    try {
      const image = drawMap(sections, readColors());
      const blob =
        format === "svg"
          ? new Blob([image.text], { type: "image/svg+xml" })
          : await rasterize(image);
      download(blob, `edgeplane-map.${format}`);
    } catch (error) {
      notifications.show({ color: "red", title: "The map was not saved", message: String(error) });
    } finally {
      setDrawing(false);
    }
  };
  return (
    <Menu>
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<Download size={16} aria-hidden />}
          disabled={!isReady || sections.length === 0}
          loading={isDrawing}
        >
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => void save("svg")}>As SVG</Menu.Item>
        <Menu.Item onClick={() => void save("png")}>As PNG</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** The colours of the map as it is on the page. */
function readColors() {
  const canvas = document.querySelector(`.${styles.canvas}`);
  if (!canvas) throw new Error("The map is not on the page.");
  const style = getComputedStyle(canvas);
  return (name: string) => style.getPropertyValue(`--map-${name}`).trim();
}

function download(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
