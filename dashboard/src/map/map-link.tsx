import type { EdgeProps } from "@xyflow/react";
import { memo, useContext } from "react";
import { linkPath } from "./boxes.js";
import type { FlowEdge } from "./flow.js";
import styles from "./map.module.css";
import { DetailContext } from "./map-node.js";

/** A link, with the place or the share of its target where it ends. */
export const MapLink = memo(function MapLink(props: EdgeProps<FlowEdge>) {
  const hasDetail = useContext(DetailContext);
  const { sourceX, sourceY, targetX, targetY, data } = props;
  const { label = "", enabled = true } = data?.link ?? {};
  return (
    <>
      <path
        className={styles.link}
        data-enabled={enabled}
        d={linkPath(sourceX, sourceY, targetX, targetY)}
      />
      {hasDetail && label !== "" && (
        <text className={styles.share} x={targetX - 8} y={targetY + 4}>
          {label}
        </text>
      )}
    </>
  );
});
