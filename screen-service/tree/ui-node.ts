/** A node of the accessibility tree, as uiautomator prints it. */
export interface UiNode {
  className: string;
  packageName: string;
  resourceId: string;
  text: string;
  /** content-desc */
  description: string;
  hint: string;
  /** Screen pixels; right and bottom are outside. */
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
  /** Later is above, among siblings. Undefined: the dumper does not print it. */
  drawingOrder: number | undefined;
  children: UiNode[];
}

export interface UiTree {
  /** Quarter turns, 0 to 3. */
  rotation: number;
  roots: UiNode[];
}
