import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMANDS } from '../table/commands.js';
import { withParts } from './page.js';
import { replaySchema } from './replay-schema.js';

// `npm run cli:page`: writes the generated parts of docs/cli.md, and docs/replay.schema.json. It runs as dist/cli/src/reference-page/main.js.
const file = join(import.meta.dirname, '../../../../docs/cli.md');
writeFileSync(file, withParts(readFileSync(file, 'utf8'), COMMANDS));
writeFileSync(join(file, '../replay.schema.json'), replaySchema());
