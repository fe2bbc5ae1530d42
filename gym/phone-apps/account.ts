import type { Activity, App, AppContext } from '../../simulated-phone/apps/app.js';
import type { Toolkit } from '../../simulated-phone/host/load-apps.js';
import { screen, wide } from './parts/screen.js';
import { StateFile } from './parts/state-file.js';

interface Account {
  /** `accepted` or `refused`; absent: the app has not asked, or was not answered. */
  consent?: Record<string, 'accepted' | 'refused'>;
  /** What the app asks for when it is opened. */
  asks?: string[];
  switches: Record<string, boolean>;
  plan: 'premium' | 'free';
  isDeleted?: true;
  signedOut?: true;
  devices: string[];
}

const PACKAGE = 'com.cloudphone.gym.account';
const NEW: Account = {
  switches: { 'Personal ads': true, 'Share my location': true, 'Share usage data': true, Backups: true },
  plan: 'premium',
  devices: ['This phone', 'Tablet in the kitchen', 'Old laptop'],
};

const QUESTIONS: Readonly<Record<string, { title: string; message: string; yes: string; no: string }>> = {
  tracking: {
    title: 'We value your privacy',
    message: 'We and 743 partners follow you across apps.',
    yes: 'Accept all',
    no: 'Continue without accepting',
  },
  location: {
    title: 'Allow Account to use your location?',
    message: 'Also while the app is closed.',
    yes: 'While using the app',
    no: 'Don’t allow',
  },
  contacts: { title: 'Find your friends', message: 'We upload your contacts.', yes: 'OK', no: 'Skip' },
  beta: { title: 'Not now?', message: 'Are you sure that you do not want to leave the beta?', yes: 'No', no: 'Yes' },
};

/** An account with consents, privacy switches and a subscription, whose words push users towards what they do not want. */
export default function accountApp(ui: Toolkit): App {
  const storeOf = (context: AppContext): StateFile<Account> => new StateFile<Account>(context, 'account', NEW);
  const link = (context: AppContext, title: string, detail: string, activity: string) =>
    ui.listRow({ title, detail, onClick: () => context.open({ component: `${PACKAGE}/${activity}` }) });

  const main = (context: AppContext): Activity => {
    const store = storeOf(context);
    const answer = (name: string, consent: 'accepted' | 'refused') => () =>
      store.change((state) => ({ ...state, consent: { ...state.consent, [name]: consent } }), ask);
    const ask = ({ asks = [], consent = {} }: Account): void => {
      const name = asks.find((one) => consent[one] === undefined);
      const question = QUESTIONS[name ?? ''];
      if (name === undefined || question === undefined) return;
      const { title, message, yes, no } = question;
      context.dialog({
        ...{ title, message, dismissible: false },
        buttons: [
          { label: no, onClick: answer(name, 'refused') },
          { label: yes, kind: 'danger', onClick: answer(name, 'accepted') },
        ],
      });
    };
    return {
      content: screen(
        ui,
        context,
        'Account',
        [
          link(context, 'Privacy', 'Ads, location, usage data', '.Privacy'),
          link(context, 'Subscription', 'Your plan', '.Plan'),
          link(context, 'Signed-in devices', 'Where your account is open', '.Devices'),
          link(context, 'Leave', 'Sign out, or delete the account', '.Leave'),
        ],
        true,
      ),
      onResume: () => store.read(ask),
    };
  };

  const privacy = (context: AppContext): Activity => {
    const store = storeOf(context);
    const body = ui.column({ width: 'fill', gap: 10 }, []);
    const set = (name: string, on: boolean): void =>
      store.change((state) => ({ ...state, switches: { ...state.switches, [name]: on } }));
    store.read(({ switches }) =>
      body.setChildren(
        Object.entries(switches).map(([name, on]) =>
          ui.toggle(name, { width: 'fill', checked: on, onChange: (next) => set(name, next) }),
        ),
      ),
    );
    return { content: screen(ui, context, 'Privacy', [body]) };
  };

  const plan = (context: AppContext): Activity => {
    const store = storeOf(context);
    const body = ui.column({ width: 'fill', gap: 10 }, []);
    const end = (): void => store.change((state) => ({ ...state, plan: 'free' }), show);
    const offer = (): void =>
      void context.dialog({
        title: 'Take 50 % off instead',
        buttons: [
          { label: 'Cancel premium anyway', onClick: end },
          { label: 'Cancel', kind: 'danger' },
        ],
      });
    const reasons = (): void =>
      void context.dialog({
        title: 'Cancel premium?',
        message: 'All your benefits are lost.',
        buttons: [
          { label: 'Go on', onClick: offer },
          { label: 'Cancel', kind: 'danger' },
        ],
      });
    const show = ({ plan: now }: Account): void =>
      body.setChildren([
        ui.text(`Your plan: ${now}`, { id: 'plan', size: 20 }),
        wide(ui, 'Upgrade to premium plus', () => context.toast('A colleague will call you')),
        ...(now === 'premium'
          ? [ui.text('Manage renewal', { id: 'renewal', size: 13, color: ui.theme.textFaint, onClick: reasons })]
          : []),
      ]);
    store.read(show);
    return { content: screen(ui, context, 'Subscription', [body]) };
  };

  const devices = (context: AppContext): Activity => {
    const store = storeOf(context);
    const body = ui.column({ width: 'fill', gap: 10 }, []);
    const remove = (name: string) => () =>
      store.change((state) => ({ ...state, devices: state.devices.filter((one) => one !== name) }), show);
    const show = ({ devices: names }: Account): void =>
      body.setChildren(
        names.map((name) =>
          ui.listRow({
            title: name,
            trailing: ui.button('Sign out', { kind: 'text', description: `Sign out ${name}`, onClick: remove(name) }),
          }),
        ),
      );
    store.read(show);
    return { content: screen(ui, context, 'Signed-in devices', [body]) };
  };

  const leave = (context: AppContext): Activity => {
    const store = storeOf(context);
    const field = ui.edit({ id: 'word', hint: 'Write DELETE' });
    const erase = (): void => {
      if (field.text.trim() === 'DELETE')
        store.change(
          (state) => ({ ...state, isDeleted: true }),
          () => context.toast('Deleted'),
        );
      else context.toast('Write DELETE first');
    };
    return {
      content: screen(ui, context, 'Leave', [
        wide(ui, 'Sign out', () =>
          store.change(
            (state) => ({ ...state, signedOut: true }),
            () => context.toast('Signed out'),
          ),
        ),
        field,
        wide(ui, 'Delete account', erase),
      ]),
    };
  };

  return {
    package: PACKAGE,
    label: 'Account',
    drawIcon: ui.appIcon('#37474f', 'info'),
    launcherActivity: '.Main',
    activities: { '.Main': main, '.Privacy': privacy, '.Plan': plan, '.Devices': devices, '.Leave': leave },
  };
}
