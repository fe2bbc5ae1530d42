import type { Field } from './fields.js';

/** A form: its pages, and what the button at the end is named. */
export interface Form {
  title: string;
  about: string;
  pages: readonly (readonly Field[])[];
  submit: string;
}

const EMAIL = /^[^@\s]+@[^@\s]+\.\w+$/;

/** The forms of the office, by their id. */
export const FORMS: Readonly<Record<string, Form>> = {
  registration: {
    title: 'Registration',
    about: 'For new members',
    submit: 'Register',
    pages: [
      [
        { kind: 'text', name: 'Full name', must: /\S/, hint: 'must not be empty' },
        { kind: 'text', name: 'E-mail', must: EMAIL, hint: 'must be an address' },
        { kind: 'password', name: 'Password', must: /^.{8,}$/, hint: 'needs 8 characters' },
        { kind: 'check', name: 'I accept the rules', must: true },
        { kind: 'check', name: 'Send me offers', value: true },
      ],
    ],
  },
  appointment: {
    title: 'Appointment',
    about: 'Choose a day and a counter',
    submit: 'Book',
    pages: [
      [
        {
          kind: 'choice',
          name: 'Counter',
          choices: ['Choose a counter', 'Passports', 'Vehicles', 'Residence', 'Taxes'],
        },
        { kind: 'date', name: 'Day', value: '2026-03-02' },
        { kind: 'radio', name: 'Time', choices: ['Morning', 'Noon', 'Afternoon'], value: 'Morning' },
      ],
    ],
  },
  address: {
    title: 'Change of address',
    about: 'Tell us where you live',
    submit: 'Send',
    pages: [
      [
        { kind: 'text', name: 'Street', value: '14 Mill Lane' },
        { kind: 'number', name: 'Postcode', value: '20095', must: /^\d{5}$/, hint: 'has five digits' },
        { kind: 'text', name: 'Town', value: 'Hamburg' },
        { kind: 'switch', name: 'Also for parcels', value: false },
      ],
    ],
  },
  survey: {
    title: 'Survey',
    about: 'Three questions about our service',
    submit: 'Finish survey',
    pages: [
      [{ kind: 'radio', name: 'How was the wait?', choices: ['Short', 'Long', 'Much too long'] }],
      [{ kind: 'radio', name: 'How was the advice?', choices: ['Good', 'Fair', 'Poor'] }],
      [
        { kind: 'long', name: 'Comment' },
        { kind: 'check', name: 'You may call me', value: true },
      ],
    ],
  },
  parking: {
    title: 'Parking permit',
    about: 'For residents',
    submit: 'Order permit',
    pages: [
      [
        { kind: 'text', name: 'Plate', must: /^[A-Z]{1,3}-[A-Z]{1,2} \d{1,4}$/, hint: 'such as HH-AB 123' },
        { kind: 'choice', name: 'Zone', choices: ['Zone A', 'Zone B', 'Zone C', 'Zone D'] },
        { kind: 'choice', name: 'Duration', choices: ['One month', 'Six months', 'One year'] },
      ],
    ],
  },
  report: {
    title: 'Report damage',
    about: 'Broken lamps, holes in the road',
    submit: 'Report',
    pages: [
      [{ kind: 'choice', name: 'What is broken', choices: ['Lamp', 'Road', 'Bench', 'Sign'] }],
      [
        { kind: 'text', name: 'Where', must: /\S/, hint: 'must not be empty' },
        { kind: 'long', name: 'Details' },
      ],
      [
        { kind: 'switch', name: 'It is dangerous', value: false },
        { kind: 'switch', name: 'Stay anonymous', value: true },
      ],
    ],
  },
  volunteer: {
    title: 'Volunteers',
    about: 'Days on which you can help',
    submit: 'Offer help',
    pages: [
      [
        ...['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'].map((name): Field => ({
          kind: 'check',
          name,
        })),
        { kind: 'number', name: 'Hours', must: /^\d+$/, hint: 'must be a number' },
      ],
    ],
  },
};
