import { writeFileSync } from 'node:fs';
import { settingsPage } from './page.js';

// Writes docs/settings.md, for `npm run settings`.
writeFileSync(new URL('../../../docs/settings.md', import.meta.url), settingsPage());
