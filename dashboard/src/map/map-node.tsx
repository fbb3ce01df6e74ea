import { Handle, type NodeProps, Position } from "@xyflow/react";
import { createContext, memo, useContext } from "react";
import type { PlacedNode } from "./boxes.js";
import type { FlowNode } from "./flow.js";
import type { GraphNode } from "./graph.js";
import styles from "./map.module.css";

/** Whether texts are large enough to be read. */
export const DetailContext = createContext(true);

/** The id of the node that the map is about; "" when it is about all. */
export const FocusContext = createContext("");

/** A resource or hostport as a card. Plain elements, since there may be many. */
export const MapNode = memo(function MapNode({ data }: NodeProps<FlowNode>) {
  const hasDetail = useContext(DetailContext);
  const focus = useContext(FocusContext);
  const { node } = data.placed;
  return (
    <div
      className={styles.node}
      data-kind={node.kind}
      data-unused={node.isUnused || undefined}
      data-conflict={node.isConflict || undefined}
      data-resource={node.id}
      data-far={!hasDetail || undefined}
      data-focused={node.id === focus || undefined}
    >
      <Handle type="target" position={Position.Left} isConnectable={false} />
      {hasDetail ? <Texts placed={data.placed} /> : <HiddenText node={node} />}
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  );
});

function Texts({ placed: { node, chips } }: { readonly placed: PlacedNode }) {
  return (
    <>
      <div className={styles.label}>{node.label}</div>
      <div className={styles.title} title={node.title}>
        {node.title}
      </div>
      {node.detail !== "" && <div className={styles.detail}>{node.detail}</div>}
      {chips.map(({ text, enabled, x, y, width }) => (
        <div
          key={text}
          className={styles.chip}
          data-enabled={enabled}
          style={{ left: x, top: y, width }}
        >
          {text}
          {!enabled && <span className={styles.hidden}> (off)</span>}
        </div>
      ))}
    </>
  );
}

/** What a screen reader says where texts would be too small to read. */
function HiddenText({ node: { label, title } }: { readonly node: GraphNode }) {
  return (
    <span className={styles.hidden}>
      {label} {title}
    </span>
  );
}
