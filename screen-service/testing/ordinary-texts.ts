const FIRST = ['Mara', 'Ada', 'Zoë', 'Jonas', 'Priya', 'Li', 'Omar', 'Kim', 'Hunter', 'Bo'];
const LAST = [
  'Lind',
  'Hunter',
  'Staple',
  'Müller',
  'Okafor',
  'Horseman',
  'Battersby',
  'Secretan',
  'Lindqvist',
  'Passmore',
];
const STREETS = [
  'Hunter Street',
  'Horse Lane',
  'Battery Road',
  'Lindenallee',
  'Staple Hill',
  'Passage du Nord',
  'Letter Row',
];
const THINGS = [
  'Oat milk',
  'Horse blanket',
  'Staples, 1000',
  'Battery AA',
  'Passport cover',
  'Secret garden, novel',
  'Door mat',
];

/** Words and sentences of apps that have the words of common passwords in them. */
const FIXED = [
  'Password',
  'PASSWORD',
  'Passwords and accounts',
  'Forgot password?',
  'Change password',
  'Password must have 8 characters',
  'Enter your password again',
  'Wrong password. Try again.',
  'Show password',
  'Password manager',
  'Sword, level 1',
  'Passphrase',
  'Passenger 1',
  'Boarding pass 1',
  'PIN',
  'Enter PIN',
  'Wrong PIN, 2 tries left',
  'Let me in',
  'Let me know when it arrives',
  'Please let me in, I am at the door',
  'Let me introduce myself',
  'Meine Daten',
  'Hunters and gatherers',
  'Treasure hunt',
  'The hunt begins at 2!',
  'Bounty Hunter 2',
  'Secret chats',
  'Secrets of the sea',
  'Secretary, room 3',
  'Secret santa',
  'Is this correct?',
  'Correct!',
  'Incorrect code',
  'Correct the horse position',
  'Autocorrect',
  'Horse riding, 2 h',
  'Battery 80 %',
  'Battery saver',
  'Low battery',
  'battery health',
  'Staple foods',
  'A correct answer',
  'horse',
  'IBAN',
  'Account ending in 3000',
  'Sort code 37-04-00',
  'Enter the 6-digit code',
  'Code sent to ••• 557',
  'Resend code in 0:48',
  'E-mail',
  'info@example.com',
  'support@example.com',
  'www.example.com',
  'https://example.com/help',
  'example.com wants to send notifications',
  'Lind, Mara',
  'mara',
  'Troubadour',
  'Trouble & 3 more',
  'Mute…',
  'Import key…',
  'Loading…',
  'Pass…',
];

/** Returns `count` different texts as apps show them: labels, names, amounts, times, addresses, orders. They are the same each time. */
export function ordinaryTexts(count: number): string[] {
  const texts = new Set(FIXED);
  for (let n = 0; texts.size < count; n++) {
    const [first, last] = [FIRST[n % FIRST.length], LAST[Math.floor(n / 3) % LAST.length]];
    const [street, thing] = [STREETS[n % STREETS.length], THINGS[n % THINGS.length]];
    const hour = String(n % 24).padStart(2, '0');
    const minute = String((n * 7) % 60).padStart(2, '0');
    for (const text of [
      `${first} ${last}`,
      `${last}, ${first}`,
      `${first} invited you to the ${['hunt', 'race', 'Horse Club', 'secret concert'][n % 4]}`,
      `order ${4_700 + n}`,
      `order ${4_700 + n}, ${thing}`,
      `Invoice ${47_110 + n}`,
      `${(n * 47.11).toFixed(2)} EUR`,
      `€ ${n * 482},${String(n % 100).padStart(2, '0')}`,
      `${482 + n} EUR`,
      `${hour}:${minute}`,
      `Departs ${hour}:${minute}, platform ${n % 12}`,
      `47:${minute}`,
      `${1 + (n % 28)}.${1 + (n % 12)}.2026`,
      `${n + 1} ${street}`,
      `${street} ${471 + n}, ${37_040 + n} Köln`,
      `+49 221 ${482_000 + n * 37}`,
      `Tel. 0221 / ${4_711_000 + n}`,
      `${thing}, ${n} left`,
      `Room ${470 + n}`,
      `${n} of ${n + 13} messages`,
      `Version ${n % 9}.${n % 13}.${n}`,
      `…${['er of', 'in the', 'attery', 'word'][n % 4]} ${n}`,
    ]) {
      if (texts.size < count) texts.add(text);
    }
  }
  return [...texts];
}
