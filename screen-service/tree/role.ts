import type { UiNode } from '../shapes/ui-node.js';

export type Role =
  | 'button'
  | 'textfield'
  | 'checkbox'
  | 'switch'
  | 'radio'
  | 'image'
  | 'text'
  | 'list'
  | 'webview'
  | 'slider'
  | 'combobox'
  | 'progress'
  | 'group';

/**
 * Roles by the last part of the class name; the first match counts. Classes of androidx and of apps mostly end in the name of the class
 * that they extend.
 */
const byClass: readonly (readonly [RegExp, Role])[] = [
  [/(EditText|AutoCompleteTextView|TextInput|SearchAutoComplete)$/, 'textfield'],
  [/(Switch|SwitchCompat|SwitchMaterial|ToggleButton)$/, 'switch'],
  [/(CheckBox|CheckedTextView)$/, 'checkbox'],
  [/RadioButton$/, 'radio'],
  [/(Button|Chip)$/, 'button'],
  [/(SeekBar|RatingBar|Slider)$/, 'slider'],
  [/(ProgressBar|ProgressIndicator)$/, 'progress'],
  [/Spinner$/, 'combobox'],
  [/WebView$/, 'webview'],
  [/(RecyclerView|ListView|GridView|ScrollView|ViewPager2?)$/, 'list'],
  [/(ImageView|Image)$/, 'image'],
  [/TextView$/, 'text'],
];

export function roleOf(node: UiNode): Role {
  const known = roleByClass(node.className);
  if (known !== undefined) return known;
  // Compose and games draw everything as android.view.View, so the role is derived from the node's states and contents.
  if (node.password) return 'textfield';
  if (node.scrollable) return 'list';
  const marked = node.clickable || node.checkable ? node.children.find(isRoleMarker) : undefined;
  const role = marked && roleByClass(marked.className);
  if (role !== undefined) return role;
  if (node.checkable) return 'checkbox';
  const labelled = node.text !== '' || node.description !== '';
  if (node.children.length > 0) return 'group';
  if (labelled) return node.clickable ? 'button' : 'text';
  return 'group';
}

/** Returns the role that a class shows. Undefined for classes that show none. */
export function roleByClass(className: string): Role | undefined {
  const name = className.slice(className.lastIndexOf('.') + 1);
  return byClass.find(([pattern]) => pattern.test(name))?.[1];
}

/**
 * Whether a node only states the role of its parent. Compose gives each control that has contents one more child, of the widget's class,
 * without words or states.
 */
function isRoleMarker(node: UiNode): boolean {
  const { className, text, description, children, clickable, checkable } = node;
  const role = roleByClass(className);
  const isControl = role !== undefined && MARKED_ROLES.has(role);
  return isControl && text === '' && description === '' && children.length === 0 && !clickable && !checkable;
}

const MARKED_ROLES: ReadonlySet<Role> = new Set(['button', 'checkbox', 'switch', 'radio', 'combobox']);
