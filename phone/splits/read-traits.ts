import type { PhoneLink } from '../link/phone-link.js';
import { phoneUnavailable } from '../link/phone-errors.js';
import { languageOf, type PhoneTraits } from './phone-traits.js';

const COMMAND = [
  ...['sdk', 'codename'].map((name) => `echo "${name}=$(getprop ro.build.version.${name})"`),
  'echo "abis=$(getprop ro.product.cpu.abilist)"',
  'wm density',
  // Newer versions have the setting, older ones the property, and a phone in its first language may have neither.
  'echo "locales=$(settings get system system_locales)"',
  'echo "locale=$(getprop persist.sys.locale)"',
  'echo "first=$(getprop ro.product.locale)"',
  'pm list features',
].join('; ');

/** Phones have some 150 features, and Android takes any number of languages. */
const MAX_FEATURES = 1_000;
const MAX_LANGUAGES = 100;
const MAX_ABIS = 20;

/** Reads the traits of a phone that runs. Throws unavailable when it does not report one that the choice of APKs needs. */
export async function readTraits(
  link: Pick<PhoneLink, 'shell'>,
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal },
): Promise<PhoneTraits> {
  const { stdout } = await link.shell(COMMAND, { timeoutMs, maxBytes: 64 * 1024, doing: 'describe itself', signal });
  return traitsIn(stdout.toString('utf8'));
}

/** The traits in the output of the command. */
export function traitsIn(output: string): PhoneTraits {
  const lines = output.split('\n').map((line) => line.trim());
  const value = (start: string): string => {
    const line = lines.find((one) => one.startsWith(start));
    return line?.slice(start.length).trim() ?? '';
  };
  const features = lines.flatMap((line) => /^feature:(\S{1,200})$/.exec(line)?.[1] ?? []);
  const glEs = features.find((name) => name.startsWith('reqGlEsVersion='))?.slice('reqGlEsVersion='.length);
  const set = value('locales=');
  const locales = (set === 'null' ? '' : set) || value('locale=') || value('first=') || 'en';
  const sdk = Number(/^\d{1,5}$/.exec(value('sdk='))?.[0]);
  // The operator's density takes precedence over the panel's, as apps see that one.
  const density = value('Override density:') || value('Physical density:');
  const densityDpi = Number(/^\d{1,5}$/.exec(density)?.[0]);
  const abis = wordsOf(value('abis=')).slice(0, MAX_ABIS);
  const missing = Object.entries({
    'API level': sdk > 0,
    'screen density': densityDpi > 0,
    processors: abis.length > 0,
  })
    .filter(([, known]) => !known)
    .map(([name]) => name);
  if (missing.length > 0)
    throw phoneUnavailable(`The phone does not report its ${missing.join(', ')}, by which the APKs are chosen.`);
  return {
    sdk,
    isPreview: !['', 'REL'].includes(value('codename=')),
    abis,
    densityDpi,
    languages: [...new Set(wordsOf(locales).map(languageOf))].slice(0, MAX_LANGUAGES),
    features: features.slice(0, MAX_FEATURES),
    glEsVersion: Number(/^(0x[0-9a-f]{1,8}|\d{1,10})$/i.exec(glEs ?? '')?.[0] ?? 0),
  };
}

function wordsOf(list: string): string[] {
  return list.split(',').flatMap((word) => word.trim() || []);
}
