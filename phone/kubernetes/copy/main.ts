import { writeFileSync } from 'node:fs';
import { copy } from './copy.js';
import { COPIES, type CopyRequest, PHONES, REPORT, SNAPSHOTS } from './copy-request.js';

/** The longest error message of a report. Kubernetes would cut off a longer report, which would then be no valid JSON. */
const MAX_MESSAGE_CHARS = 1_000;

// Runs in the container of a Job that copies.
const volumes = { phones: PHONES, snapshots: SNAPSHOTS, copies: COPIES };
const report = await copy(JSON.parse(process.argv[2] ?? '') as CopyRequest, volumes);
const bounded = report.done ? report : { ...report, message: report.message.slice(0, MAX_MESSAGE_CHARS) };
writeFileSync(REPORT, JSON.stringify(bounded));
