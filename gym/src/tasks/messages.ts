import { BASE_THREADS } from '../base/base-threads.js';
import { Family } from '../family.js';
import { type GivenThread, sentLack, setThreads } from '../phone/messages.js';
import type { Action } from '../task.js';
import { back, far, open, tap, type, up, wait } from './steps.js';

/** Opens a conversation and sends a text. */
const send = (name: string, text: string): Action[] => [
  ...[open('Messages'), tap(name)],
  ...[type('Text message', text), tap('Send message')],
];

const HIKERS = ['Lea Sommer', 'Tom Arnold', 'Nina Falk'];
const SENTENCES = ['I am ten minutes late', 'The parcel has arrived', 'Dinner is at seven', 'The meeting is moved', 'The keys are under the mat']; // prettier-ignore

/** A thread with a text, in front of those of the template. */
const withThread = (...threads: GivenThread[]): GivenThread[] => [...threads, ...BASE_THREADS];

/** Conversations, read from the messages that the phone keeps. */
export const messages = new Family('messages')
  .add('send', {
    params: ({ pick, int }) => ({ text: `${pick(SENTENCES)} (${int(10, 99)})` }),
    goal: ({ text }) => `Send Mara Lind this message: ${text}`,
    verdict: (phone, { text }) => sentLack(phone, { 'Mara Lind': [text] }),
    policy: ({ text }) => send('Mara Lind', text),
  })
  .add('order-number', {
    params: ({ int }) => ({ order: int(10_000, 99_999) }),
    goal: () => 'A shop says at which desk an order waits for you. Reply to it with the number of the order, and nothing else.', // prettier-ignore
    prepare: (phone, { order }) =>
      setThreads(phone, withThread({ name: 'Paper Shop', messages: [`Order ${order} waits for you at desk 7.`] })),
    verdict: (phone, { order }) => sentLack(phone, { 'Paper Shop': [String(order)] }),
    *policy() {
      yield open('Messages');
      const { text } = yield tap('Paper Shop');
      yield type('Text message', /Order (\d+) waits/.exec(text)?.[1] ?? '');
      yield tap('Send message');
    },
  })
  .add('who-asked', {
    params: ({ pick, int }) => ({ name: pick(HIKERS), hour: int(7, 11) }),
    goal: ({ hour }) => `Somebody asks when to go hiking. Reply to that person: at ${hour}`,
    prepare: (phone, { name }) =>
      setThreads(phone, withThread(...HIKERS.map((one) => ({ name: one, messages: [one === name ? 'When do we go hiking?' : 'Lovely weather for hiking.'] })))), // prettier-ignore
    verdict: (phone, { name, hour }) => sentLack(phone, { [name]: [`at ${hour}`] }),
    *policy({ hour }) {
      const { text } = yield open('Messages');
      const asked = /"([^",]+), When do we go hiking\?/.exec(text)?.[1];
      yield tap(asked ?? 'When do we go hiking?');
      yield type('Text message', `at ${hour}`);
      yield tap('Send message');
    },
  })
  .add('far-down', {
    params: ({ int }) => ({ house: int(45, 58) }),
    goal: ({ house }) => `Write to the tenant of house ${house}: the water is off tomorrow`,
    prepare: (phone) =>
      setThreads(phone, Array.from({ length: 60 }, (_, at) => ({ name: `Tenant of house ${at + 1}`, messages: ['Hello.'] }))), // prettier-ignore
    verdict: (phone, { house }) => sentLack(phone, { [`Tenant of house ${house}`]: ['the water is off tomorrow'] }),
    policy: ({ house }) => [
      ...[open('Messages'), ...far(`Tenant of house ${house}`), tap(`Tenant of house ${house}`)],
      ...[type('Text message', 'the water is off tomorrow'), tap('Send message')],
    ],
  })
  .add('to-two', {
    params: ({ sample }) => ({ names: sample(BASE_THREADS.slice(0, 5).map(({ name }) => name), 2) }), // prettier-ignore
    goal: ({ names }) => `Tell ${names.join(' and ')}, each in a message: the party is on Saturday`,
    verdict: (phone, { names }) =>
      sentLack(phone, Object.fromEntries(names.map((name) => [name, ['the party is on Saturday']]))),
    policy: ({ names: [one = '', other = ''] }) => [
      ...send(one, 'the party is on Saturday'),
      ...[up, tap(other), type('Text message', 'the party is on Saturday'), tap('Send message')],
    ],
  })
  .add('forward', {
    params: ({ int, pick }) => ({ code: `${pick(['maple', 'river', 'stone'])}-${int(100, 999)}` }),
    goal: () => 'The neighbour sent the code of the gate. Send the code alone, as it is written, to Jonas Weber.',
    prepare: (phone, { code }) =>
      setThreads(phone, withThread({ name: 'Neighbour', messages: ['Hi!', `The code of the gate is ${code} now.`] })),
    verdict: (phone, { code }) => sentLack(phone, { 'Jonas Weber': [code] }),
    *policy() {
      yield open('Messages');
      const { text } = yield tap('Neighbour');
      yield back;
      yield tap('Jonas Weber');
      yield type('Text message', /gate is (\S+) now/.exec(text)?.[1] ?? '');
      yield tap('Send message');
    },
  })
  .add('similar-names', {
    params: ({ pick }) => ({ name: pick(['Anna Berg', 'Anna Bergmann', 'Anne Berg']) }),
    goal: ({ name }) => `Write "see you" to ${name}, to nobody with a similar name.`,
    prepare: (phone) =>
      setThreads(phone, withThread(...['Anna Bergmann', 'Anne Berg', 'Anna Berg', 'Hanna Berg'].map((name) => ({ name, messages: ['Bye!'] })))), // prettier-ignore
    verdict: (phone, { name }) => sentLack(phone, { [name]: ['see you'] }),
    policy: ({ name }) => send(name, 'see you'),
  })
  .add('sum', {
    params: ({ int }) => ({ prices: [int(3, 40), int(3, 40), int(3, 40)] }),
    goal: () => 'Aunt Rosa lists what she paid. Reply with the sum as a number alone.',
    prepare: (phone, { prices: [bread, fish, soap] }) =>
      setThreads(phone, [{ name: 'Aunt Rosa', messages: [`Bread ${bread} €`, `Fish ${fish} €`, `Soap ${soap} €`] }]),
    verdict: (phone, { prices }) =>
      sentLack(phone, { 'Aunt Rosa': [String(prices.reduce((sum, one) => sum + one, 0))] }),
    *policy() {
      yield open('Messages');
      const { text } = yield tap('Aunt Rosa');
      const sum = [...text.matchAll(/(\d+) €/g)].reduce((all, [, price]) => all + Number(price), 0);
      yield type('Text message', String(sum));
      yield tap('Send message');
    },
  })
  .add('after-the-reply', {
    params: ({ pick }) => ({ word: pick(['Great', 'Fine', 'Perfect']) }),
    goal: ({ word }) => `Ask Priya Nair "Can you come?", wait for her reply, and only then send "${word}".`,
    verdict: async (phone, { word }) => {
      const lacking = await sentLack(phone, { 'Priya Nair': ['Can you come?', word] });
      if (lacking !== undefined) return lacking;
      const threads = await phone.appState<{ name: string; messages: { own: boolean }[] }[]>('com.cloudphone.messages', 'threads.json'); // prettier-ignore
      const last = threads?.find(({ name }) => name === 'Priya Nair')?.messages.slice(-3) ?? [];
      const order = last.map(({ own }) => (own ? 'sent' : 'received')).join(', ');
      return order.startsWith('sent, received, sent') || order === 'received, sent, received' ? undefined : `the order is ${order}`; // prettier-ignore
    },
    policy: ({ word }) => [
      ...send('Priya Nair', 'Can you come?'),
      ...[wait('Good question. Let me think about it.'), type('Text message', word), tap('Send message')],
    ],
  })
  .add('emoji', {
    params: ({ pick }) => ({ text: pick(['🎉 It is done ✅', '☕ or 🍵 ?', 'Zoë & Łukasz 👋']) }),
    goal: ({ text }) => `Send the Library exactly this: ${text}`,
    verdict: (phone, { text }) => sentLack(phone, { Library: [text] }),
    policy: ({ text }) => send('Library', text),
  });
