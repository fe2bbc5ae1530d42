/** A mail of the gym's app. */
export interface GivenMail {
  id: string;
  from: string;
  subject: string;
  body: string;
  folder: 'inbox' | 'archive' | 'trash' | 'spam';
  starred: boolean;
  list?: boolean;
}

const SENDERS = [
  'Harbour Works',
  'Ines Okafor',
  'City Library',
  'Ben Fischer',
  'Mill Bakery',
  'Sun Energy',
  'Tenants of No. 9',
  'Choir',
];
const TOPICS = ['Invoice', 'Minutes', 'Photos', 'Question', 'Reminder', 'Offer', 'Thanks', 'Plan', 'Report', 'News'];

/** 240 mails, the newest first, which are the same on each phone. */
export const BASE_MAILS: readonly GivenMail[] = Array.from({ length: 240 }, (_, at): GivenMail => {
  const topic = TOPICS[(at * 3) % TOPICS.length] ?? '';
  const isList = topic === 'Offer' || topic === 'News';
  return {
    id: `m${at}`,
    from: SENDERS[(at * 5) % SENDERS.length] ?? '',
    subject: `${topic} ${1000 + at}`,
    body: `This is about ${topic.toLowerCase()} number ${1000 + at}.`,
    folder: 'inbox',
    starred: false,
    ...(isList && { list: true }),
  };
});
