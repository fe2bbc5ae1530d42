import type { AppContext } from '../../../simulated-phone/apps/app.js';

/** How long after its screen an interruption comes, ms. */
const AFTER_MS = 400;

/**
 * Interrupts the user of a screen with a dialog or a notification, where `kinds` has one for the screen. `agreed` is called where the user
 * agrees to what the dialog wants.
 */
export function interruption(
  context: AppContext,
  kinds: readonly string[],
  where: string,
  agreed: (what: string) => void,
): void {
  for (const kind of kinds) {
    const [place, what = ''] = kind.split(':');
    if (place === where) context.later(AFTER_MS, () => interrupt(context, what, () => agreed(what)), { pending: true });
  }
}

function interrupt(context: AppContext, what: string, agree: () => void): void {
  const leave = { label: 'Not now' };
  if (what === 'rating')
    context.dialog({
      title: 'Do you like this app?',
      message: 'Rate us.',
      buttons: [leave, { label: 'Rate', onClick: agree }],
    });
  else if (what === 'newsletter')
    context.dialog({
      title: '10 % for you',
      message: 'Get our newsletter.',
      dismissible: false,
      buttons: [{ label: 'No, I like to pay more' }, { label: 'Yes, please', onClick: agree }],
    });
  else if (what === 'battery')
    context.dialog({
      title: 'Battery low',
      message: 'Connect the charger.',
      dismissible: false,
      buttons: [{ label: 'OK' }],
    });
  else if (what === 'session')
    context.dialog({
      title: 'Are you still there?',
      message: 'You are signed out soon.',
      dismissible: false,
      buttons: [{ label: 'Sign out', onClick: agree }, { label: 'Stay' }],
    });
  else if (what === 'message') context.notify({ tag: 'shop', title: 'Shop', text: 'Only today: tea towels for 1 €' });
}
