/* eslint-disable no-control-regex -- control characters are what is looked for */
import { expectationWords, stepWords } from './step-words.js';
import type { Difference } from './difference.js';
import type { Played, PlayedStep } from './played.js';

/** Characters that XML cannot have, even escaped. */
const NO_XML =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' },
  ...{ '\n': '&#10;', '\r': '&#13;', '\t': '&#9;' },
};

/** Returns the report of a replay in the form of JUnit, which CI systems read: a test case for each step. `files`: the pictures. */
export function junitOf(
  { steps, difference }: Played,
  { suite, file, files }: { suite: string; file: string; files: readonly string[] },
): string {
  const count = (state: PlayedStep['state']): number => steps.filter((step) => step.state === state).length;
  const isFailure = difference?.isDifference === true;
  const counts = {
    tests: steps.length,
    failures: isFailure ? count('failed') : 0,
    errors: isFailure ? 0 : count('failed'),
    skipped: count('skipped'),
    time: secondsOf(steps.reduce((sum, { durationMs }) => sum + durationMs, 0)),
  };
  const cases = steps.map((step) => testCase(step, { file, difference, files }));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes(counts)}>`,
    `  <testsuite${attributes({ name: suite, ...counts })}>`,
    ...cases.map((one) => `    ${one}`),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function testCase(
  { number, line, step, state, durationMs }: PlayedStep,
  { file, difference, files }: { file: string; difference: Difference | undefined; files: readonly string[] },
): string {
  const expects = step.expect === undefined ? '' : `, then ${expectationWords(step.expect)}`;
  const name = `${number} ${stepWords(step)}${expects}`;
  const opening = `<testcase${attributes({ name, classname: file, file, line, time: secondsOf(durationMs) })}`;
  if (state === 'skipped') return `${opening}><skipped/></testcase>`;
  if (state === 'passed' || difference === undefined) return `${opening}/>`;
  const { kind, isDifference, message, expected, nearest, app } = difference;
  const body = [
    `expected: ${expected}`,
    `app in front: ${app}`,
    'nearest:',
    ...nearest.map((one) => `  ${one}`),
    ...files,
  ];
  const tag = isDifference ? 'failure' : 'error';
  const attached = files.map((one) => `[[ATTACHMENT|${one}]]`).join('\n');
  const output = attached === '' ? '' : `<system-out>${escaped(attached)}</system-out>`;
  return `${opening}><${tag}${attributes({ type: kind, message })}>${escaped(body.join('\n'))}</${tag}>${output}</testcase>`;
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(String(value))}"`)
    .join('');
}

function escaped(text: string): string {
  return text.replaceAll(NO_XML, '�').replaceAll(/[&<>"\n\r\t]/g, (character) => ENTITIES[character] ?? character);
}

function secondsOf(ms: number): string {
  return (ms / 1_000).toFixed(3);
}
