import { TextInput } from "@mantine/core";
import { Search } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useNavigate } from "react-router";

/** Goes to the resource that an id names. */
export function FindResource() {
  const [id, setId] = useState("");
  const navigate = useNavigate();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (id.trim() === "") return;
    void navigate(`/resources/${encodeURIComponent(id.trim())}`);
    setId("");
  };
  return (
    <search aria-label="By id">
      <form onSubmit={submit}>
        <TextInput
          aria-label="Go to the resource with this id"
          placeholder="Go to an id"
          size="xs"
          leftSection={<Search size={14} aria-hidden />}
          value={id}
          onChange={(event) => setId(event.currentTarget.value)}
        />
      </form>
    </search>
  );
}
