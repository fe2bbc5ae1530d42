/** A node of the accessibility tree, as uiautomator prints it. */
export interface UiNode {
  className: string;
  packageName: string;
  resourceId: string;
  text: string;
  /** content-desc */
  description: string;
  hint: string;
  /** Screen pixels. `right` and `bottom` are the first pixels outside of the node. */
  left: number;
  top: number;
  right: number;
  bottom: number;
  checkable: boolean;
  checked: boolean;
  clickable: boolean;
  enabled: boolean;
  focusable: boolean;
  focused: boolean;
  scrollable: boolean;
  longClickable: boolean;
  password: boolean;
  selected: boolean;
  /** Among siblings, a node with a higher number is drawn above. Undefined: the dumper does not print it. */
  drawingOrder: number | undefined;
  /** Whether typed secrets were left out of its words. Absent: false. */
  hidesSecret?: true;
  children: UiNode[];
}

export interface UiTree {
  /** Quarter turns, 0 to 3. */
  rotation: number;
  roots: UiNode[];
}
