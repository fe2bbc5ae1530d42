// All parts that an app can be made of. An app from a folder gets them as an argument. Its file may lie anywhere, and the phone's own views
// work only with classes of this process.
export { appIcon } from './app-icon.js';
export { dateField } from './date-field.js';
export { listRow, section } from './list-rows.js';
export { page } from './page.js';
export { button, iconButton } from '../ui/button.js';
export { checkBox, radio, radioChoice, toggle } from '../ui/compound-button.js';
export { column, overlay, row } from '../ui/containers.js';
export { contextMenu } from '../ui/context-menu.js';
export { swipeAway } from '../ui/drag-view.js';
export { DropDown } from '../ui/drop-down.js';
export { edit } from '../ui/edit-field.js';
export { badge, icon, picture } from '../ui/image-view.js';
export { ListView } from '../ui/list.js';
export { ticking, timed } from '../ui/motion.js';
export { ProgressSpinner } from '../ui/progress.js';
export { scroll } from '../ui/scroll.js';
export { SeekBar } from '../ui/seek-bar.js';
export { LiveText, text } from '../ui/text-view.js';
export { theme } from '../ui/theme.js';
export { AT_REST, View } from '../ui/view.js';
export { ZoomView } from '../ui/zoom-view.js';
