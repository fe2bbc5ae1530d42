/** A contact of the gym's app. */
export interface GivenContact {
  id: string;
  name: string;
  phone: string;
  email: string;
  company: string;
  starred: boolean;
}

const FIRST = ['Ada', 'Ben', 'Chiara', 'Dmitri', 'Elif', 'Femi', 'Greta', 'Hana', 'Ivo', 'Jana', 'Kofi', 'Lena', 'Milan', 'Nora', 'Omar', 'Pia', 'Quinn', 'Rosa', 'Sven', 'Tara']; // prettier-ignore
const LAST = ['Abel', 'Brandt', 'Castro', 'Dalgaard', 'Eriksen', 'Fischer', 'Gomez', 'Hofer', 'Ivanov', 'Jensen', 'Keller', 'Lund', 'Moretti', 'Novak', 'Okafor', 'Petrov', 'Rossi', 'Silva', 'Tanaka', 'Weiss']; // prettier-ignore
const COMPANIES = ['Harbour Works', 'Northern Rail', 'Studio Birch', 'City Hospital', 'Mill Bakery', 'River Lab', 'Oak School', 'Sun Energy']; // prettier-ignore

const OTHERS: readonly string[] = [
  'محمد علي',
  'שרה כהן',
  '王小明',
  '佐藤花子',
  '김민준',
  'अनीता शर्मा',
  'Ελένη Παππά',
  'Юлия Смирнова',
];

/** 408 contacts, which are the same on each phone: 400 of Latin letters, and eight in other scripts. */
export const BASE_CONTACTS: readonly GivenContact[] = [
  ...LAST.flatMap((last, row) => FIRST.map((first, at) => contact(`${first} ${last}`, row * FIRST.length + at))),
  ...OTHERS.map((name, at) => contact(name, LAST.length * FIRST.length + at)),
];

function contact(name: string, number: number): GivenContact {
  return {
    id: `c${number}`,
    name,
    phone: `+49 40 ${String(5_550_000 + number * 37)}`,
    email: `${
      name
        .normalize('NFD')
        .toLowerCase()
        .replace(/[^a-z]+/g, '.') || 'contact'
    }.${number}@example.com`,
    company: COMPANIES[(number * 7) % COMPANIES.length] ?? '',
    starred: false,
  };
}
