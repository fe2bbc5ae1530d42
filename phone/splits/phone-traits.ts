/** What of a phone decides which APKs of an app it gets. */
export interface PhoneTraits {
  /** API level. */
  sdk: number;
  /** Whether its Android is a preview of the next version. */
  isPreview: boolean;
  /** Its kinds of processors by Android's names, the best first. */
  abis: readonly string[];
  densityDpi: number;
  /** Codes of its languages, such as `en`, in the form of `languageOf`. */
  languages: readonly string[];
  /** Names of its features, such as `android.hardware.camera`. Empty: the phone does not report them. */
  features: readonly string[];
  /** As `<uses-feature>` writes it: 0x30002 is OpenGL ES 3.2. 0: the phone does not report it. */
  glEsVersion: number;
}

/** Codes that Java, and so Android, had for languages before. */
const NEW_CODES: Readonly<Record<string, string>> = { iw: 'he', in: 'id', ji: 'yi', tl: 'fil' };

/** Returns the language of a locale, with its present code: `he` for `iw-IL`. */
export function languageOf(locale: string): string {
  const [language = ''] = locale.trim().toLowerCase().split(/[-_]/);
  return NEW_CODES[language] ?? language;
}
