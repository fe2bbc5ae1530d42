/** Turns the API's texts into texts for people. These name the panel's buttons, and not requests, headers and fields. */

/** Words for the work on a phone, by the kind of its job. */
const UNDER_WAY: Record<string, string> = {
  create: 'it is being created',
  start: 'it is starting',
  stop: 'it is stopping',
  restart: 'it is restarting',
  delete: 'it is being deleted',
  network: 'its network is being changed',
  rotate: 'it is getting a new address',
  install: 'an app is being installed',
  uninstall: 'an app is being removed',
  snapshot: 'a snapshot is being saved',
  restore: 'a snapshot is being restored',
  clone: 'it is being cloned',
  template: 'a template is being made of it',
  upgrade: 'it is getting a newer Android',
};

/** Patterns of texts that the panel replaces as a whole. The first pattern that matches is used. */
const REPLACED: readonly [text: RegExp, plain: (...parts: string[]) => string][] = [
  [/^The device "([^"]+)" is busy with job \S+ \((\w+)\)/, (name, kind) => `${name} is busy: ${underWay(kind)}.`],
  [/^The device "([^"]+)" is (?:stopped|failed), (?:not running|so )/, (name) => `${name} is not running.`],
  [/^The device "([^"]+)" is running, so it cannot start/, (name) => `${name} is running already.`],
  [
    /^The device "([^"]+)" is (\w+), (?:not running|so )/,
    (name, state) => `${name} is ${state}. Wait until that is over.`,
  ],
  [
    /^The device "([^"]+)" is running, and phones of model "([^"]+)" are saved while they are off/,
    (name, model) =>
      `${name} is running, and phones of the model ${model} are saved while they are off. Stop it first.`,
  ],
  [
    /^The snapshot "[^"]+" is (still being saved|being \w+)/,
    (how) => `The snapshot is ${how}. Wait until that is over.`,
  ],
  // The reason comes from the zip library, and names parts of the format.
  [
    /^The file is not an app that can be installed\. \w+: .*(?:central directory|not a zip file|truncated)/s,
    () => 'The file is not an APK, or only a part of one. Build or download it again.',
  ],
  // The word before the text is Android's own code, and is left out.
  [
    /^The file is not an app that can be installed\. \w+: (?:Failed to parse APK: )?(.*)$/s,
    (why) => `The file is not an app that can be installed. ${why}`,
  ],
  [
    /^The device "([^"]+)" is leased by (.+?)(?: for "(.*)")? until [\d-]+T(\d\d:\d\d)/,
    (name, holder, note = '') => `${name} is leased by ${holder}${note === '' ? '' : ` for “${note}”`}.`,
  ],
  [
    /^The device "([^"]+)" is kept ready by the pool "([^"]+)"/,
    (name, pool) => `${name} is kept ready by the pool ${pool}. Only a lease can use it.`,
  ],
  [
    /^The device "([^"]+)" is handed over to a person \(\S+, by (.+?)\): "(.*)"\. Wait until/s,
    (name, asker, reason) => `${name} is handed over to a person, as ${asker} asked: “${reason}”.`,
  ],
  [/^There is no hand-over\b/, () => 'The hand-over has ended already.'],
  [
    /^The lease of "([^"]+)" has ended, and the phone is not free yet/,
    (name) => `The lease of ${name} has ended, and the phone is free in some seconds.`,
  ],
  [/^The group "[^"]+" has ended/, () => 'The group has ended already.'],
  [
    /^There is no (device|job|group|schedule|snapshot|delivery|session|key|lease|pool|template)\b/,
    (thing) => `${GONE[thing] ?? 'It'} is not there any more.`,
  ],
  [/^The device "([^"]+)" has no share/, () => 'This link has ended already.'],
  [/^The key "[^"]+" has no webhook URL/, () => 'This key has no webhook. Give it one first.'],
];

const GONE: Record<string, string> = {
  device: 'The phone',
  job: 'The job',
  group: 'The group',
  schedule: 'The schedule',
  snapshot: 'The snapshot',
  delivery: 'The delivery',
  session: 'The session',
  key: 'The key',
  lease: 'The lease',
  pool: 'The pool',
  template: 'The template',
};

/** Matches texts about what only programs do: requests, headers, and fields of bodies. */
const OF_REQUESTS =
  /\/v1\b|…\/|\b(?:GET|POST|PUT|PATCH|DELETE|HTTP)\b|Content-Type|Idempotency-Key|Last-Event-ID|X-Request|Authorization|\bheaders?\b|\b\w+_(?:id|s|ms|url)\b|multipart\//;

/** The field in front of a text of the API: "path: …", "steps[2].tap: …". */
const FIELD = /^[a-z_]+(?:[\w.[\]]*): /;

/** The field after a phone's name: `"qa-1": open_app.app: no app …`. */
const INNER_FIELD = /(": )[a-z_]+(?:[\w.[\]]*): /g;

/** Returns the text as the panel shows it; empty where no part of it is for people. */
export function plainWords(message: string): string {
  for (const [pattern, plain] of REPLACED) {
    const match = pattern.exec(message);
    if (match !== null) return plain(...match.slice(1));
  }
  const sentences = message.replace(FIELD, '').split(/(?<=[.!?]) (?=[\p{Lu}"“])/u);
  const kept = sentences.map(clauseForPeople).filter((sentence) => sentence !== '');
  return capital(kept.join(' ').replaceAll(INNER_FIELD, '$1'))
    .replaceAll(/\bThe device "([^"]+)"/g, '$1')
    .replaceAll(/\bdevice(s?)\b/g, 'phone$1')
    .replaceAll(/\bDevice(s?)\b/g, 'Phone$1');
}

/** Returns a sentence, or the part of it before a request: "End one: DELETE … ends it." becomes "End one." */
function clauseForPeople(sentence: string): string {
  if (!OF_REQUESTS.test(sentence)) return sentence;
  const [clause = ''] = sentence.split(/[:;] |, (?=[A-Z])/);
  return clause === sentence || OF_REQUESTS.test(clause) ? '' : `${clause}.`;
}

function underWay(kind: string | undefined): string {
  return UNDER_WAY[kind ?? ''] ?? 'something is being done with it';
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
