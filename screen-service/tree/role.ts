import type { UiNode } from './ui-node.js';

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

/** First match wins, on the last part of the class name: androidx and app classes mostly end in the name of what they extend. */
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
  const name = node.className.slice(node.className.lastIndexOf('.') + 1);
  const known = byClass.find(([pattern]) => pattern.test(name))?.[1];
  if (known !== undefined) return known;
  // Compose and games draw everything as android.view.View; its states show its role.
  if (node.password) return 'textfield';
  if (node.scrollable) return 'list';
  if (node.checkable) return 'checkbox';
  const labelled = node.text !== '' || node.description !== '';
  if (node.children.length > 0) return 'group';
  if (labelled) return node.clickable ? 'button' : 'text';
  return 'group';
}
