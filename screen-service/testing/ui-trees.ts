import type { UiNode, UiTree } from '../shapes/ui-node.js';

/** The size of the screen for which tests make their trees, pixels. */
export const TREE_SCREEN = { width: 720, height: 1280 };

export interface NodeInit extends Partial<UiNode> {
  /** Left, top, width and height. */
  at: readonly [number, number, number, number];
}

/** Returns a node; absent fields are those of a plain view without words. */
export function uiNode(
  className: string,
  { at: [x, y, width, height], ...fields }: NodeInit,
  ...children: UiNode[]
): UiNode {
  return {
    className: className.includes('.') ? className : `android.widget.${className}`,
    packageName: 'com.x',
    resourceId: '',
    text: '',
    description: '',
    hint: '',
    left: x,
    top: y,
    right: x + width,
    bottom: y + height,
    checkable: false,
    checked: false,
    clickable: false,
    enabled: true,
    focusable: false,
    focused: false,
    scrollable: false,
    longClickable: false,
    password: false,
    selected: false,
    drawingOrder: undefined,
    children,
    ...fields,
  };
}

export function uiText(text: string, at: NodeInit['at'], fields: Partial<UiNode> = {}): UiNode {
  return uiNode('TextView', { text, at, ...fields });
}

export function uiButton(text: string, at: NodeInit['at'], fields: Partial<UiNode> = {}): UiNode {
  return uiNode('Button', { text, at, clickable: true, ...fields });
}

/** Returns a tree of one window with these nodes. */
export function uiTree(...nodes: UiNode[]): UiTree {
  const { width, height } = TREE_SCREEN;
  return { rotation: 0, roots: [uiNode('FrameLayout', { at: [0, 0, width, height] }, ...nodes)] };
}
