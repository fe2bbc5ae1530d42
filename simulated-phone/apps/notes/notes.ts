import { appIcon } from '../app-icon.js';
import type { App } from '../app.js';
import { noteEditor } from './note-editor.js';
import { noteList } from './note-list.js';

export const notesApp: App = {
  package: 'com.cloudphone.notes',
  label: 'Notes',
  drawIcon: appIcon('#e0a100', 'note'),
  launcherActivity: '.Main',
  activities: { '.Main': noteList, '.Edit': noteEditor },
};
