import type { Action } from '../task.js';

// Steps as scripts write them, by words as a person reads them on the screen.

/** How long a step waits for its target, seconds: on a busy machine with 20 phones, a screen may come late. */
const WAIT_S = 20;

export const open = (app: string): Action => ({ open_app: { app } });

/** `role`: for words that several elements have. */
export const tap = (text: string, more: { role?: 'button' | 'text' | 'switch' } = {}): Action => ({
  tap: { text, ...more },
  wait_s: WAIT_S,
});

export const hold = (text: string): Action => ({ long_press: { text }, wait_s: WAIT_S });

export const type = (field: string, text: string, more: { clear?: boolean; submit?: boolean } = {}): Action => ({
  type: { text, target: { text: field }, ...more },
  wait_s: WAIT_S,
});

/** Replaces the text of a field. */
export const replace = (field: string, text: string): Action => type(field, text, { clear: true });

export const back: Action = { key: { name: 'back' } };
export const up: Action = { tap: { text: 'Navigate up' } };
export const home: Action = { key: { name: 'home' } };
export const find = (text: string): Action => ({ scroll: { direction: 'down', until: { text } } });
export const findUp = (text: string): Action => ({ scroll: { direction: 'up', until: { text } } });
export const wait = (text: string): Action => ({ wait: {}, expect: { text } });
export const notifications: Action = { notifications: {} };

/** Looks for a text far down a list: a search that runs out of time goes on, and one that missed the text comes back. */
export const far = (text: string): Action[] => [find(text), find(text), findUp(text)];
