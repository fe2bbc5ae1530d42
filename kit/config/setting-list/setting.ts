/** A setting as docs/settings.md and the help of `npm start` show it. Texts are Markdown, with links as in a file of docs/. */
export interface Setting {
  /** The environment variable. */
  name: string;
  /**
   * The value or behaviour when the variable is not set. A text that is only code, such as `8080` in backticks, is a value that can be set.
   */
  fallback: string;
  meaning: string;
  /** Whether a second variable, with _FILE after the name, may name a file that holds the value. Secrets have this. */
  hasFile?: boolean;
}

/** Settings on one subject. */
export interface SettingGroup {
  title: string;
  settings: readonly Setting[];
}
