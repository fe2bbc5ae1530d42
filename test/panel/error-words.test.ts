import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { errorKinds } from '../../kit/errors/api-error.js';
import { panelModules } from './panel-module.js';

interface ErrorWords {
  ERROR_WORDS: Record<string, { text: string; next: string }>;
  shownError: (kind: string, message: string) => { text: string; next: string; device?: string };
}

interface FieldErrors {
  fieldErrors: (error: Error, fields: readonly string[]) => { at: Record<string, string>; rest: Error | null };
}

interface Faults {
  ApiFault: new (status: number, kind: string, message: string, requestId: undefined) => Error;
}

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const SERVICES = ['device-service', 'gateway', 'kit', 'relay-service', 'screen-service', 'webhook-service'];

/** Matches names that nobody finds in the panel. */
const OF_REQUESTS =
  /\/v1\/|…\/|\b(?:GET|POST|PUT|PATCH|DELETE) |Idempotency-Key|Content-Type|_url\b|_id\b|\bdevices?\b/;

describe('the errors in the panel', () => {
  let words: ErrorWords;
  let fields: FieldErrors;
  let faults: Faults;
  before(async () => {
    [words, fields, faults] = await panelModules<[ErrorWords, FieldErrors, Faults]>(
      'api/error-words.ts',
      'api/field-errors.ts',
      'api/api-fault.ts',
    );
  });

  it('have words and a next step for each kind of the contract, and for a service that does not respond', () => {
    expect(Object.keys(words.ERROR_WORDS)).to.have.members([...Object.keys(errorKinds), 'network']);
    for (const [kind, { text, next }] of Object.entries(words.ERROR_WORDS)) {
      expect(text, kind).to.match(/^[A-Z].*\.$/);
      expect(text, kind).not.to.match(OF_REQUESTS);
      expect(next, kind).to.match(/^[a-z-]+$/);
    }
  });

  it('speak of the file and not of its format when an app cannot be read', () => {
    const why = 'End of central directory record signature not found. Either not a zip file, or file is truncated.';
    for (const prefix of ['', 'Failed to parse APK: ']) {
      const message = `The file is not an app that can be installed. INSTALL_FAILED_INVALID_APK: ${prefix}${why}`;
      const { text } = words.shownError('bad_request', message);
      expect(text).to.equal('The file is not an APK, or only a part of one. Build or download it again.');
    }
  });

  it('speak of buttons and not of requests, whatever the service writes', () => {
    const texts = SERVICES.flatMap((service) => textsOf(join(ROOT, service)));
    expect(texts.length).to.be.greaterThan(40);
    for (const message of texts) {
      for (const kind of ['busy', 'not_found', 'forbidden', 'bad_request']) {
        const { text } = words.shownError(kind, message);
        expect(text, message).not.to.match(OF_REQUESTS);
        expect(text, message).to.match(/\S/);
      }
    }
  });

  it('lead from a phone that does not run to its start, and from one at work to its job', () => {
    const stopped = 'The device "qa-1" is stopped, not running. Call POST /v1/devices/qa-1/start first.';
    expect(words.shownError('busy', stopped)).to.deep.equal({
      text: 'qa-1 is not running.',
      next: 'start',
      device: 'qa-1',
    });
    const busy = 'The device "qa-1" is busy with job job_1 (install). Wait for it: GET /v1/jobs/job_1?wait_s=30.';
    expect(words.shownError('busy', busy)).to.deep.equal({
      text: 'qa-1 is busy: an app is being installed.',
      next: 'jobs',
    });
    for (const [kind, message, text] of [
      [
        'busy',
        'The device "a" is running, so it cannot start. It need not be started; to boot it again call POST /v1/devices/a/restart.',
        'a is running already.',
      ],
      [
        'not_found',
        'There is no device "a". GET /v1/devices lists the devices that this key can see.',
        'The phone is not there any more.',
      ],
      ['bad_request', 'path: /sdcard/a is a directory. GET …/files?path= lists it.', '/sdcard/a is a directory.'],
      [
        'forbidden',
        'The device "a" has 20 shares, the most that are possible. End one that is not used: GET /v1/devices/a/shares shows when each was last used, DELETE /v1/devices/a/shares/{id} ends it.',
        'a has 20 shares, the most that are possible. End one that is not used.',
      ],
      [
        'busy',
        'The device "a" is handed over to a person (hnd_1, by ci): "Type the code.\nNow". Wait until it is given back: GET /v1/devices/a/handovers/hnd_1?wait_s=60.',
        'a is handed over to a person, as ci asked: “Type the code.\nNow”.',
      ],
      [
        'not_found',
        'There is no hand-over "hnd_1" any more. GET /v1/devices/a/handovers lists those of the device with their outcome.',
        'The hand-over has ended already.',
      ],
      [
        'busy',
        'The device "a" is leased by ci for "run 7" until 2026-11-20T17:15:00.000Z. Wait, or end it: GET /v1/leases lists it.',
        'a is leased by ci for “run 7”.',
      ],
      [
        'busy',
        'The device "a" is leased by ci until 2026-11-20T17:15:00.000Z. Wait, or end it: GET /v1/leases lists it.',
        'a is leased by ci.',
      ],
      [
        'busy',
        'The device "a" is kept ready by the pool "ci". Lease it: POST /v1/leases {"pool": "ci"}.',
        'a is kept ready by the pool ci. Only a lease can use it.',
      ],
      [
        'busy',
        'The lease of "a" has ended, and the phone is not free yet. Try again in some seconds.',
        'The lease of a has ended, and the phone is free in some seconds.',
      ],
      [
        'forbidden',
        'A device has at most 20 snapshots. Delete one first.',
        'A phone has at most 20 snapshots. Delete one first.',
      ],
      [
        'internal',
        'Something went wrong on our side. Try again; if it persists, report the X-Request-Id of this response to the operator.',
        'Something went wrong in the service. It is not your fault.',
      ],
      [
        'bad_request',
        'email: "a@example.com" has an account already. Sign in with POST /v1/session.',
        '"a@example.com" has an account already.',
      ],
    ] as const)
      expect(words.shownError(kind, message).text).to.equal(text);
    const leased = 'The device "a" is leased by ci until 2026-11-20T17:15:00.000Z. Wait.';
    expect(words.shownError('busy', leased).next).to.equal('leases');
  });

  it('stand beside their fields without the names that those have in the API', () => {
    const divided = (message: string, names: readonly string[]) =>
      fields.fieldErrors(new faults.ApiFault(400, 'bad_request', message, undefined), names);
    expect(
      divided(
        'allow[0] is "not", which is not an IPv4 or IPv6 address or CIDR range such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/48.',
        ['allow'],
      ).at,
    ).to.deep.equal({
      allow: '"not" is not an IPv4 or IPv6 address or CIDR range such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/48.',
    });
    expect(divided('name: must be a-z; proxy has no host', ['name', 'proxy']).at).to.deep.equal({
      name: 'Must be a-z',
      proxy: 'It has no host',
    });
    expect(divided('devices[2]: "a" is no name; name is missing', ['name'])).to.deep.include({
      at: { name: 'It is missing' },
    });
  });
});

interface OutcomeWords {
  outcomeWords: (attempt: object) => string;
  outcomeHint: (attempt: object) => string | undefined;
}

describe('the outcomes of deliveries in the panel', () => {
  it('have words and a hint for each that the guide to webhooks names', async () => {
    const [{ outcomeWords, outcomeHint }] = await panelModules<[OutcomeWords]>('deliveries/outcome-words.ts');
    const guide = readFileSync(join(ROOT, 'docs/webhooks.md'), 'utf8').split('| `error` | Meaning |')[1] ?? '';
    const named = [...guide.split('##')[0]!.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, word = '']) => word),
    );
    expect(named).to.include.members(['dns', 'refused', 'not_public']).and.to.have.length.above(9);
    for (const error of named) {
      const attempt = /^(?:status_|redirect)/.test(error) ? { error, status: 500 } : { error };
      expect(outcomeWords(attempt), error).to.match(/\S/).and.not.to.equal(error);
      expect(outcomeHint(attempt), error).to.match(/\.$/);
    }
    expect(outcomeHint({ status: 204 })).to.equal(undefined);
  });
});

/** Returns the texts of a service that speak of requests, with a value in each gap. */
function textsOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.includes('.test.'))
    .flatMap((path) => [
      ...readFileSync(join(folder, path), 'utf8').matchAll(/ApiError\(\s*'\w+',\s*(?:`([^`]*)`|'([^'\n]*)')/g),
    ])
    .map(([, template, plain]) => (template ?? plain ?? '').replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, 'one'))
    .filter((text) => OF_REQUESTS.test(text));
}
