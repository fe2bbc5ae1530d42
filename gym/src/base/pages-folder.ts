/** The folder of the pages that the browser tasks use. */
export const PAGES_FOLDER = '/sdcard/Web';
