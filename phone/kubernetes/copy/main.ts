import { writeFileSync } from 'node:fs';
import { copy } from './copy.js';
import { type CopyRequest, PHONES, REPORT, SNAPSHOTS } from './copy-request.js';

/** A longer message is cut off by Kubernetes, and would be no JSON any more. */
const MOST_MESSAGE = 1_000;

// The container of a copying Job.
const report = await copy(JSON.parse(process.argv[2] ?? '') as CopyRequest, { phones: PHONES, snapshots: SNAPSHOTS });
const bounded = report.done ? report : { ...report, message: report.message.slice(0, MOST_MESSAGE) };
writeFileSync(REPORT, JSON.stringify(bounded));
