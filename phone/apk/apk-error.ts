/** Why an APK cannot be taken, with the code Android's package installer has for it. `message` is fit for the caller. */
export class ApkError extends Error {
  override name = 'ApkError';
  /** `INSTALL_FAILED_...` or `INSTALL_PARSE_FAILED_...` */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The file is not a valid APK. */
export function notAnApk(detail: string): ApkError {
  return new ApkError('INSTALL_PARSE_FAILED_NOT_APK', `Failed to parse APK: ${detail}`);
}
