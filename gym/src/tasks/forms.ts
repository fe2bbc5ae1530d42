import { Family } from '../family.js';
import type { GymPhone } from '../phone/gym-phone.js';
import { lack } from '../phone/same.js';
import type { Action } from '../task.js';
import { find, open, replace, tap, type } from './steps.js';

type Values = Record<string, string | boolean>;

const NAMES = ['Ada Brandt', 'Kofi Lund', 'Pia Moretti', 'Sven Okafor'];
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** Returns how the forms that were sent differ from one form that had to be sent once. */
async function sentFormLack(phone: GymPhone, form: string, values: Values): Promise<string | undefined> {
  const sent = await phone.appState<Record<string, Values[]>>('com.cloudphone.gym.forms', 'sent.json');
  return lack('what was sent', sent ?? {}, { [form]: [values] });
}

const start = (title: string): Action[] => [open('Office'), tap(title)];
const press = (label: string): Action[] => [find(label), tap(label, { role: 'button' })];
const choose = (field: string, choice: string): Action[] => [tap(field), tap(choice)];

/** Forms with every kind of field, read from what the app has sent. */
export const forms = new Family('forms')
  .add('registration', {
    params: ({ pick, int }) => ({ name: pick(NAMES), mail: `member${int(10, 99)}@example.com`, password: `pass-${int(10_000, 99_999)}` }), // prettier-ignore
    goal: ({ name, mail, password }) =>
      `Register in the Office: ${name}, ${mail}, password ${password}. Accept the rules, and get no offers.`,
    verdict: (phone, { name, mail, password }) =>
      sentFormLack(phone, 'registration', { ...{ 'Full name': name, 'E-mail': mail, Password: password }, 'I accept the rules': true, 'Send me offers': false }), // prettier-ignore
    policy: ({ name, mail, password }) => [
      ...[...start('Registration'), type('Full name', name), type('E-mail', mail), type('Password', password)],
      ...[find('I accept the rules'), tap('I accept the rules'), find('Send me offers'), tap('Send me offers')],
      ...press('Register'),
    ],
  })
  .add('appointment', {
    params: ({ pick, int }) => ({ counter: pick(['Passports', 'Vehicles', 'Residence']), day: int(10, 27), time: pick(['Noon', 'Afternoon']) }), // prettier-ignore
    goal: ({ counter, day, time }) => `Book an appointment at the Office: ${counter}, ${day} March 2026, ${time.toLowerCase()}.`, // prettier-ignore
    verdict: (phone, { counter, day, time }) => sentFormLack(phone, 'appointment', { Counter: counter, Day: `2026-03-${day}`, Time: time }), // prettier-ignore
    policy: ({ counter, day, time }) => [
      ...[...start('Appointment'), ...choose('Counter', counter)],
      ...[tap('Day'), tap(`${day} March 2026`), tap('OK'), tap(time)],
      ...press('Book'),
    ],
  })
  .add('next-month', {
    params: ({ int }) => ({ day: int(11, 28) }),
    goal: ({ day }) => `Book a morning appointment for taxes at the Office on ${day} April 2026.`,
    verdict: (phone, { day }) => sentFormLack(phone, 'appointment', { Counter: 'Taxes', Day: `2026-04-${day}`, Time: 'Morning' }), // prettier-ignore
    policy: ({ day }) => [
      ...[...start('Appointment'), ...choose('Counter', 'Taxes')],
      ...[tap('Day'), tap('Next month'), tap(`${day} April 2026`), tap('OK')],
      ...press('Book'),
    ],
  })
  .add('new-address', {
    params: ({ pick, int }) => ({ street: `${int(2, 90)} ${pick(['Elm Road', 'Canal Street', 'Park Row'])}`, code: String(int(10_000, 99_999)) }), // prettier-ignore
    goal: ({ street, code }) => `You have moved within the town. Tell the Office the new address: ${street}, postcode ${code}. It is for parcels, too.`, // prettier-ignore
    verdict: (phone, { street, code }) => sentFormLack(phone, 'address', { Street: street, Postcode: code, Town: 'Hamburg', 'Also for parcels': true }), // prettier-ignore
    policy: ({ street, code }) => [
      ...[...start('Change of address'), replace('Street', street), replace('Postcode', code)],
      ...[find('Also for parcels'), tap('Also for parcels'), ...press('Send')],
    ],
  })
  .add('survey', {
    params: ({ pick }) => ({ wait: pick(['Short', 'Long', 'Much too long']), advice: pick(['Good', 'Fair', 'Poor']) }),
    goal: ({ wait, advice }) => `Fill in the survey of the Office: the wait was "${wait}", the advice "${advice}". No comment, and nobody may call you.`, // prettier-ignore
    verdict: (phone, { wait, advice }) =>
      sentFormLack(phone, 'survey', { 'How was the wait?': wait, 'How was the advice?': advice, Comment: '', 'You may call me': false }), // prettier-ignore
    policy: ({ wait, advice }) => [
      ...[...start('Survey'), tap(wait), tap('Next'), tap(advice), tap('Next')],
      ...[tap('You may call me'), ...press('Finish survey')],
    ],
  })
  .add('parking', {
    params: ({ pick, int }) => ({ plate: `HH-${pick(['AB', 'KL', 'XY'])} ${int(100, 999)}`, zone: pick(['Zone B', 'Zone C', 'Zone D']), time: pick(['Six months', 'One year']) }), // prettier-ignore
    goal: ({ plate, zone, time }) =>
      `Order a parking permit at the Office for ${plate}, ${zone}, ${time.toLowerCase()}.`,
    verdict: (phone, { plate, zone, time }) => sentFormLack(phone, 'parking', { Plate: plate, Zone: zone, Duration: time }), // prettier-ignore
    policy: ({ plate, zone, time }) => [
      ...[...start('Parking permit'), type('Plate', plate)],
      ...[...choose('Zone', zone), ...choose('Duration', time), ...press('Order permit')],
    ],
  })
  .add('damage', {
    params: ({ pick, int }) => ({ what: pick(['Road', 'Bench', 'Sign']), where: `Park ${int(1, 30)}` }),
    goal: ({ what, where }) => `Report to the Office under your name: a broken ${what.toLowerCase()} at "${where}", which is dangerous. No details.`, // prettier-ignore
    verdict: (phone, { what, where }) =>
      sentFormLack(phone, 'report', { 'What is broken': what, Where: where, Details: '', 'It is dangerous': true, 'Stay anonymous': false }), // prettier-ignore
    policy: ({ what, where }) => [
      ...[...start('Report damage'), ...choose('What is broken', what), tap('Next')],
      ...[type('Where', where), ...press('Next'), tap('It is dangerous'), tap('Stay anonymous'), ...press('Report')],
    ],
  })
  .add('volunteer', {
    params: ({ sample, int }) => ({ days: sample(DAYS, 3), hours: int(2, 9) }),
    goal: ({ days, hours }) => `Offer the Office your help on ${days.join(', ')}, ${hours} hours.`,
    verdict: (phone, { days, hours }) =>
      sentFormLack(phone, 'volunteer', { ...Object.fromEntries(DAYS.map((day) => [day, days.includes(day)])), Hours: String(hours) }), // prettier-ignore
    policy: ({ days, hours }) => [
      ...[...start('Volunteers'), ...days.flatMap((day) => [tap(day)])],
      ...[find('Hours'), type('Hours', String(hours)), ...press('Offer help')],
    ],
  });
