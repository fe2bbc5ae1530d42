import { expect } from 'chai';
import {
  MAX_FILE_CHARS,
  MAX_FILE_DEPTH,
  MAX_FILE_PIECES,
  MAX_FILLED_CHARS,
  MAX_REPLAY_STEPS,
  MAX_VALUE_CHARS,
  MAX_VARIABLES,
} from './limits.js';
import { type Replay, ReplayFault, type ReplayStep } from './replay.js';
import { readReplay } from './read-replay.js';
import { replayText } from './replay-text.js';
import { filled } from './variables.js';

const WHOLE: Replay = {
  version: 1,
  name: 'Sign in',
  device: { model: 'phone-720p', android: '14', width: 720, height: 1280 },
  variables: { email: { default: 'ada@example.com' }, password: { secret: true } },
  steps: [
    { open_app: { app: 'Notes' }, expect: { text: 'New note', role: 'button' }, took_ms: 900, picture: 'in/01.webp' },
    { type: { text: '${email}', target: { text: 'Email', role: 'textfield' }, clear: true } },
    { type: { text: '${password}', target: { text: 'Password' } } },
    { tap: { x: 10, y: 20 }, warning: 'It goes by its place.' },
    { swipe: { from: { x: 1, y: 2 }, to: { x: 3, y: 4 }, duration_ms: 200 } },
    { key: { name: 'BACK' }, expect: { gone: '42: "# no comment"' } },
    { wait: {} },
  ],
};

/** The fault of a text that is no replay. */
function faultOf(text: string): string {
  try {
    readReplay(text);
  } catch (error) {
    if (error instanceof ReplayFault) return error.message;
    throw error;
  }
  throw new Error('the text was read');
}

describe('a replay file', () => {
  it('is read as it was written, as YAML and as JSON, with the line of each step', () => {
    const text = replayText(WHOLE, 'Made\nby a test');
    const { replay, lineOfStep } = readReplay(text);
    expect(replay).to.deep.equal(WHOLE);
    expect(readReplay(JSON.stringify(WHOLE, undefined, 2)).replay).to.deep.equal(WHOLE);
    const lines = text.split('\n');
    expect(lines[0]).to.equal('# Made by a test');
    for (const [at, kind] of ['open_app', 'type', 'type', 'tap', 'swipe', 'key', 'wait'].entries())
      expect(lines[lineOfStep(at) - 1], `step ${at}`).to.match(new RegExp(`^ +- ${kind}: \\{`));
  });

  for (const text of [
    ...[
      '',
      ' ',
      ' a ',
      'null',
      'true',
      '~',
      '1.5',
      '0x1f',
      '2026-01-01',
      '<<',
      '=',
      '---',
      '...',
      '%TAG',
      '- x',
      '? x',
    ],
    ...['{a: b}', '[a]', 'a: b', 'a #b', '#a', '&a', '*a', '!a', '|', '>', '@a', '`a', '"a', "'a", 'a\\n', 'a\\', ','],
    ...['a\nb', '\n', 'a\n\n b\n', 'a\tb', '\t', 'Zoë 買 😀', '\u0000\u0007\u001b\u007f\u0085\u2028\ufeff', 'a\r\nb'],
    ...['word '.repeat(300), 'x'.repeat(5_000), ' \n'.repeat(200), '$${', '"\'`${'],
  ])
    it(`keeps the text ${JSON.stringify(text).slice(0, 40)}`, () => {
      const own: ReplayStep = {
        type: { text: text.replaceAll('${', () => '$${') },
        ...(text !== '' && { expect: { text: 'x', role: 'text' } }),
      };
      const replay: Replay = { version: 1, steps: [own, { wait: {} }], variables: { a: { default: text } } };
      expect(readReplay(replayText(replay, text)).replay).to.deep.equal(replay);
    });

  it('keeps texts of any characters that have a meaning in YAML', () => {
    const pieces = [
      ...Array.from(' \n\t:#-?,[]{}&*!|>\'"%@`\\$~<=0aé😀'),
      ...['\r\n', ': ', ' #', '- ', '${', '\n\n', '    '],
    ];
    let state = 1;
    // A linear congruential generator: each run has the same texts.
    const below = (limit: number): number => (state = (state * 48_271) % 2_147_483_647) % limit;
    const texts = Array.from({ length: 400 }, () =>
      Array.from({ length: below(120) }, () => pieces[below(pieces.length)] ?? '').join(''),
    );
    const variables = Object.fromEntries(texts.slice(0, 50).map((text, at) => [`v${at}`, { default: text }]));
    const steps = texts.map((text): ReplayStep => ({ type: { text: text.replaceAll('${', () => '$${') } }));
    const replay: Replay = { version: 1, variables, steps };
    expect(readReplay(replayText(replay, 'Any')).replay).to.deep.equal(replay);
  });

  const step = (text: string): string => `version: 1\nsteps:\n  - wait: {}\n  - ${text}\n`;

  for (const [text, fault] of [
    ['', 'line 1: The file must be a map, not nothing.'],
    ['[1]', 'line 1: The file must be a map, not a list.'],
    ['steps: []', 'line 1: steps must have at least 1 of them.'],
    ['version: 2\nsteps: [{wait: {}}]', 'line 1: version must be a whole number from 1 to 1, not 2.'],
    ['version: 1\nsteps:\n  - wait: {}\nstepz: 1', /^line 4: stepz is not known here\. Known: version, name/],
    [step('tapp: {text: Save}'), /^line 4: steps\[1\]\.tapp is not known here\. Known: tap, double_tap/],
    [step('tap: {element: e7}'), /^line 4: steps\[1\]\.tap\.element is not known here\. Known: text, role, x, y\.$/],
    [step('tap: {text: 42}'), 'line 4: steps[1].tap.text must be a text, not 42. Put it into quotes.'],
    [step('tap: {text: Save, x: 1, y: 2}'), /steps\[1\]\.tap must have exactly one of text, x; it has text and x/],
    [step('tap: {x: 1}'), /steps\[1\]\.tap has x, so it needs y/],
    [step('tap:'), /steps\[1\]\.tap must be a map, not nothing/],
    [step('tap: {text: a, role: knob}'), /steps\[1\]\.tap\.role must be one of button, textfield/],
    [step('expect: {text: Save}'), /^line 4: steps\[1\] must have exactly one of tap, .*; it has none\.$/],
    [step('wait: {}\n    key: {name: a}'), /steps\[1\] must have exactly one of .*; it has key and wait/],
    [step('wait: {}\n    expect: {role: button}'), /steps\[1\]\.expect must have exactly one of text, gone, app/],
    [step('wait: {}\n    took_ms: -1'), 'line 5: steps[1].took_ms must be a whole number from 0 to 600000, not -1.'],
    [step('wait: {}\n    picture: /etc/passwd'), /^line 5: steps\[1\]\.picture must match/],
    [step('wait: {}\n    picture: a/../../b.webp'), /^line 5: steps\[1\]\.picture must match/],
    // A line separator, which `.` of a pattern does not match.
    [step('wait: {}\n    picture: "x\\u2028/../../b.webp"'), /^line 5: steps\[1\]\.picture must match/],
    [
      step('type: {text: "${who}"}'),
      /^line 4: steps\[1\]\.type\.text uses \$\{who\}, which is not among the variables/,
    ],
    [
      'version: 1\nvariables: {p: {secret: true}}\nsteps:\n  - tap: {text: "${p}"}',
      'line 4: steps[0].tap.text must not use the secret variable p: no screen shows it to a search.',
    ],
    ['version: 1\nvariables: {constructor: {}}\nsteps: [{type: {text: "${toString}"}}]', /uses \$\{toString\}/],
    ['version: 1\nvariables: {__proto__: {}}\nsteps: [{wait: {}}]', /^line 2: variables\.__proto__ must be a name/],
    ['version: 1\nversion: 1\nsteps: []', 'line 2: "version" is there twice. Remove one.'],
    ['version: 1\nsteps: [', /^line \d: .*/],
    ['version: 1\n---\nversion: 1', /^The file has 2 documents/],
    ['a: &x 1', 'line 1: An anchor (&name) is not allowed. Remove it.'],
    ['a: 1\nb: *x', 'line 2: An alias (*name) is not allowed. Write the value again in its place.'],
    ['a: !!js/function "x"', 'line 1: A tag (!name) is not allowed. Remove it.'],
    ['? [a, b]\n: 1', 'line 1: A key must be a word, not a list or a map.'],
  ] as const)
    it(`is refused with the place of its fault: ${JSON.stringify(text).slice(0, 60)}`, () => {
      const found = faultOf(text);
      if (typeof fault === 'string') expect(found).to.equal(fault);
      else expect(found).to.match(fault);
    });

  const steps = (count: number): string => `version: 1\nsteps:\n${'  - wait: {}\n'.repeat(count)}`;
  const named = (count: number): string =>
    `version: 1\nsteps: [{wait: {}}]\nvariables:\n${Array.from({ length: count }, (_, at) => `  v${at}: {}\n`).join('')}`;

  it('may have as much as each bound allows', () => {
    expect(readReplay(steps(MAX_REPLAY_STEPS)).replay.steps).to.have.length(MAX_REPLAY_STEPS);
    expect(Object.keys(readReplay(named(MAX_VARIABLES)).replay.variables ?? {})).to.have.length(MAX_VARIABLES);
  });

  it('is refused with one step too many', () =>
    expect(faultOf(steps(MAX_REPLAY_STEPS + 1))).to.equal('line 2: steps has 501 of them; 500 is the most.'));

  it('may have the most steps with all that a step can have', () => {
    const target = { text: 'A button with a long text', role: 'button' };
    const full: ReplayStep = {
      tap: target,
      expect: { ...target, state: 'enabled' },
      took_ms: 1_000,
      picture: 'a/b.webp',
    };
    const replay: Replay = { version: 1, steps: Array.from({ length: MAX_REPLAY_STEPS }, () => full) };
    expect(readReplay(replayText(replay, 'Large')).replay).to.deep.equal(replay);
  });

  for (const [what, text, fault] of [
    ['characters', `# ${'x'.repeat(MAX_FILE_CHARS * 10)}`, /^The file has \d+ characters/],
    ['steps', steps(MAX_REPLAY_STEPS * 10), /pieces of syntax|500 is the most/],
    ['variables', named(MAX_VARIABLES * 10), /variables must not have more than 50 members/],
    ['brackets', '['.repeat(MAX_FILE_DEPTH * 10), /nested deeper than 16/],
    ['nested lists of a line', `${'- '.repeat(MAX_FILE_DEPTH * 10)}x`, /nested deeper than 16/],
    ['nested keys of a line', `${'? '.repeat(MAX_FILE_DEPTH * 10)}x`, /nested deeper than 16/],
    ['brackets as the file holds', '['.repeat(MAX_FILE_CHARS), /nested deeper|pieces of syntax/],
    ['lists as the file holds', '- '.repeat(MAX_FILE_CHARS / 2), /nested deeper|pieces of syntax/],
    ['keys as the file holds', Array.from({ length: 55_000 }, (_, at) => `a${at}: `).join('\n'), /pieces of syntax/],
    ['lines as the file holds', '\n'.repeat(MAX_FILE_CHARS), /pieces of syntax|must be a map/],
    ['pieces', `[${'1,'.repeat(MAX_FILE_PIECES)}]`, /pieces of syntax/],
    [
      'values of a variable',
      `version: 1\nsteps: [{wait: {}}]\nvariables: {a: {default: ${'x'.repeat(MAX_VALUE_CHARS * 10)}}}`,
      /variables\.a\.default must have at most 10000 characters/,
    ],
  ] as const)
    it(`is refused in little time with ten times as many ${what}, or as it can hold`, () => {
      const beganMs = performance.now();
      expect(faultOf(text)).to.match(fault);
      expect(performance.now() - beganMs).to.be.below(10_000);
    });
});

describe('variables of a replay', () => {
  const values = new Map([
    ['email', { text: 'ada@example.com', secret: false }],
    ['password', { text: 'hunter2', secret: true }],
  ]);

  for (const [step, result] of [
    [{ type: { text: '${email}!' } }, { type: { text: 'ada@example.com!' } }],
    [{ type: { text: 'pw ${password}' } }, { type: { text: 'pw hunter2', secret: true } }],
    [{ type: { text: '$${email} $x ${' } }, { type: { text: '${email} $x ${' } }],
    [
      { tap: { text: '${email}' }, expect: { text: 'Hello ${email}' } },
      { tap: { text: 'ada@example.com' }, expect: { text: 'Hello ada@example.com' } },
    ],
    [{ clipboard: { set: '${password}' } }, { clipboard: { set: 'hunter2' } }],
  ] as [ReplayStep, ReplayStep][])
    it(`stand in ${JSON.stringify(step)}`, () => expect(filled(step, values)).to.deep.equal(result));

  it('are no variables themselves where a value has their form', () => {
    const cunning = new Map([
      ['a', { text: '${b}', secret: false }],
      ['b', { text: 'x', secret: true }],
    ]);
    expect(filled({ type: { text: '${a}' } }, cunning)).to.deep.equal({ type: { text: '${b}' } });
  });

  it('make no text that is longer than the bound', () => {
    const long = new Map([['a', { text: 'x'.repeat(MAX_VALUE_CHARS), secret: false }]]);
    const text = '${a}'.repeat((MAX_FILLED_CHARS / MAX_VALUE_CHARS) * 10);
    expect(() => filled({ type: { text } }, long)).to.throw(ReplayFault, 'longer than 20000 characters');
  });
});
