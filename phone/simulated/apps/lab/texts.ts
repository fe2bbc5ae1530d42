import { text } from '../../ui/text-view.js';
import { theme } from '../../ui/theme.js';
import type { Activity, AppContext } from '../app.js';
import { labPage } from './lab-page.js';

const SENTENCES = [
  'This paragraph is long on purpose.',
  'It has no button and no link; it is here so that whoever reads the screen has to decide how much of a text to keep.',
  'A reader that cuts it should say so, and a reader that keeps it should not fall over.',
];
const LONG = Array.from({ length: 6 }, () => SENTENCES.join(' ')).join(' ');

/** Texts that trip up parsers: both kinds of quotes, markup, emoji, line breaks, other scripts, no text at all. */
export function textsScreen(context: AppContext): Activity {
  return {
    content: labPage(context, 'Special texts', [
      text('She said "hello" to me', { id: 'double_quotes' }),
      text("It's both: \"one\" and 'two'", { id: 'both_quotes' }),
      text('<b>Not bold</b> & not &amp; either', { id: 'markup' }),
      text('Smile 😀 and ❤️ and 🚀', { id: 'emoji' }),
      text('Line one\nLine two\tafter a tab', { id: 'lines' }),
      text('Ελληνικά, Русский, Čeština, Türkçe', { id: 'scripts' }),
      text('Bell\u0007 and escape\u001b inside', { id: 'control' }),
      text('', { id: 'no_text', description: 'A view with a description only', height: 24 }),
      text(LONG, { id: 'long', size: 14, color: theme.textSoft }),
    ]),
  };
}

/** Text in sizes that no longer fit. */
export function bigTextScreen(context: AppContext): Activity {
  return {
    content: labPage(context, 'Big text', [
      text('Huge', { id: 'huge', size: 96, weight: 700 }),
      text('Wrapping headline over several lines', { id: 'headline', size: 44, weight: 500 }),
      text('This line is cut off at the end because it is limited to one line', { id: 'cut', size: 30, maxLines: 1 }),
    ]),
  };
}
