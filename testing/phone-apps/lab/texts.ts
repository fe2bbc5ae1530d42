import type { Activity, AppContext } from '../../../simulated-phone/apps/app.js';
import type { Toolkit } from '../../../simulated-phone/host/load-apps.js';
import { labPage } from './lab-page.js';

const SENTENCES = [
  'This paragraph is long on purpose.',
  'It has no button and no link; it is here so that whoever reads the screen has to decide how much of a text to keep.',
  'A reader that cuts it should say so, and a reader that keeps it should not fall over.',
];
const LONG = Array.from({ length: 6 }, () => SENTENCES.join(' ')).join(' ');

/** Texts that trip up parsers: both kinds of quotes, markup, emoji, line breaks, other scripts, no text at all. */
export function textsScreen(ui: Toolkit, context: AppContext): Activity {
  const { text, theme } = ui;
  return {
    content: labPage(ui, context, 'Special texts', [
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

const SCRIPTS: readonly [id: string, text: string][] = [
  ['chinese', '简体中文：今天去商店买牛奶、鸡蛋和面包，然后回家做饭。繁體中文也行。'],
  ['japanese', '日本語：牛乳と卵を買い物リストに追加しました。カタカナもひらがなも。'],
  ['korean', '한국어: 우유와 달걀을 장보기 목록에 추가했습니다.'],
  ['hindi', 'हिन्दी: दूध और अंडे खरीदारी की सूची में जोड़े गए। क्षत्रिय'],
  ['bengali', 'বাংলা: দুধ এবং ডিম কেনার তালিকায় যোগ করা হয়েছে'],
  ['tamil', 'தமிழ்: பால் மற்றும் முட்டை பட்டியலில் சேர்க்கப்பட்டது'],
  ['telugu', 'తెలుగు: పాలు మరియు గుడ్లు జాబితాకు జోడించబడ్డాయి'],
  ['thai', 'ภาษาไทย: เพิ่มนมและไข่ในรายการซื้อของแล้ว สวัสดีชาวโลก ที่นี่'],
  ['arabic', 'العربية: أُضيف الحليب والبيض (12 بيضة) إلى قائمة التسوق، مع Wi-Fi مجاني.'],
  ['hebrew', 'עברית: החלב והביצים (12 ביצים) נוספו לרשימת הקניות, עם Wi-Fi חינם.'],
  ['emoji_joined', '👩🏿‍🚀 👨‍👩‍👧‍👦 👍🏽 🏴‍☠️ 🇩🇪🇯🇵 🏴󠁧󠁢󠁥󠁮󠁧󠁿 1️⃣ ❤️ ☕ 🧀🛒 ✅'],
];

/** One line or two in each script that the phone draws. */
export function scriptsScreen(ui: Toolkit, context: AppContext): Activity {
  const { text } = ui;
  return {
    content: labPage(
      ui,
      context,
      'Scripts',
      SCRIPTS.map(([id, content]) => text(content, { id, width: 'fill' })),
    ),
  };
}

/** Text in sizes that no longer fit. */
export function bigTextScreen(ui: Toolkit, context: AppContext): Activity {
  const { text } = ui;
  return {
    content: labPage(ui, context, 'Big text', [
      text('Huge', { id: 'huge', size: 96, weight: 700 }),
      text('Wrapping headline over several lines', { id: 'headline', size: 44, weight: 500 }),
      text('This line is cut off at the end because it is limited to one line', { id: 'cut', size: 30, maxLines: 1 }),
    ]),
  };
}
