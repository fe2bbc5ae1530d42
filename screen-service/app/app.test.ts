import { expect } from 'chai';
import { NO_FOREGROUND, parseForeground } from '../../phone/screen/windows.js';
import { appsNamed } from './open-app.js';
import { parseActivities } from './launcher-apps.js';
import { parseSecureWindow } from '../../phone/screen/windows.js';

describe('the app in front', () => {
  it('is the one of the focused window, its activity in short form', () => {
    expect(
      parseForeground('  mCurrentFocus=Window{1a2b3c4 u0 com.x.notes/com.x.notes.ui.MainActivity}\n'),
    ).to.deep.equal({ app: 'com.x.notes', activity: '.ui.MainActivity', window: '1a2b3c4', isDisplayOff: false });
  });

  for (const [wakefulness, isDisplayOff] of [
    ['Awake', false],
    ['Dreaming', false],
    ['Dozing', true],
    ['Asleep', true],
  ] as const) {
    it(`comes with a display that is ${isDisplayOff ? 'off' : 'on'} while the phone is ${wakefulness}`, () => {
      const dumpsys = `  mCurrentFocus=Window{1 u0 com.x/.Main}\n  mWakefulness=${wakefulness}\n`;
      expect(parseForeground(dumpsys)).to.include({ app: 'com.x', isDisplayOff });
    });
  }

  it('is the one of the built-in display, whichever comes first', () => {
    const dumpsys =
      '  Display: mDisplayId=2\n  mCurrentFocus=Window{22 u0 com.car/com.car.Main}\n' +
      '  mFocusedApp=ActivityRecord{2 u0 com.car/.Main t2}\n' +
      '  Display: mDisplayId=0 (organized)\n  mCurrentFocus=null\n  mFocusedApp=ActivityRecord{1 u0 com.x/.Main t1}\n';
    expect(parseForeground(dumpsys)).to.include({ app: 'com.x', activity: '.Main' });
  });

  for (const record of [
    'ActivityRecord{5d6e7f u0 com.x/.MainActivity, isShadow:false t10}',
    'Token{1a2 ActivityRecord{5d6e7f u0 com.x/.MainActivity t10}}',
    'AppWindowToken{9f token=Token{1a2 ActivityRecord{5d6e7f u0 com.x/.MainActivity t10}}}',
  ]) {
    it(`is read from ${record}`, () => {
      const dumpsys = `  mCurrentFocus=null\n  mFocusedApp=${record}\n`;
      expect(parseForeground(dumpsys)).to.include({ app: 'com.x', activity: '.MainActivity' });
    });
  }

  it('is the focused app while a popup or nothing has the focus', () => {
    const app = '  mFocusedApp=ActivityRecord{5d6e7f u0 com.x/.MainActivity t12}\n';
    for (const focus of ['Window{1a2 u0 PopupWindow:5e1}', 'null', 'Window{1a2 u0 NotificationShade}'])
      expect(parseForeground(`  mCurrentFocus=${focus}\n${app}`)).to.include({
        app: 'com.x',
        activity: '.MainActivity',
      });
  });

  it('keeps the whole name of an activity from elsewhere', () => {
    expect(parseForeground('mCurrentFocus=Window{1 u0 com.x/org.lib.LoginActivity}').activity).to.equal(
      'org.lib.LoginActivity',
    );
  });

  it('is empty when no output names it', () => {
    expect(parseForeground('')).to.deep.equal(NO_FOREGROUND);
  });
});

describe('a secure window', () => {
  const windows = (flags: string) =>
    `  Window #4 Window{aa1 u0 com.y/com.y.Main}:\n    mAttrs={(0,0)(fillxfill) ty=BASE_APPLICATION\n      fl=SECURE\n` +
    `  Window #5 Window{bb2 u0 com.x/com.x.Main}:\n    mAttrs={(0,0)(fillxfill) ty=BASE_APPLICATION\n      fl=${flags}\n` +
    '  mCurrentFocus=Window{bb2 u0 com.x/com.x.Main}\n';

  it('is read from the flags of the focused window alone, in words or as a number', () => {
    expect(parseSecureWindow(windows('LAYOUT_IN_SCREEN SECURE HARDWARE_ACCELERATED'))).to.equal(true);
    expect(parseSecureWindow(windows('#81812100'))).to.equal(true);
    expect(parseSecureWindow(windows('LAYOUT_IN_SCREEN'))).to.equal(false);
    expect(parseSecureWindow(windows('#81810100'))).to.equal(false);
    expect(parseSecureWindow('')).to.equal(undefined);
  });
});

describe('apps by their names', () => {
  const app = (name: string, label?: string) => ({ package: name, component: `${name}/.Main`, label });
  const packages = (named: string, ...apps: ReturnType<typeof app>[]) =>
    appsNamed(apps, named).map((one) => one.package);
  const notes = app('com.x.notes', 'Mara’s Notes');
  const tasks = app('org.y.tasks');

  it('are found by package, by label, and by the last part of a package without a known label', () => {
    expect(packages('COM.X.NOTES', notes, tasks)).to.deep.equal(['com.x.notes']);
    expect(packages(' mara’s  notes', notes, tasks)).to.deep.equal(['com.x.notes']);
    expect(packages("Mara's notes", notes, tasks)).to.deep.equal(['com.x.notes']);
    expect(packages('Tasks', notes, tasks)).to.deep.equal(['org.y.tasks']);
  });

  it('are not those that have the name as a part', () => {
    expect(packages('Notes', notes)).to.be.empty;
    expect(packages('', notes, tasks)).to.be.empty;
  });

  it('are several where labels differ only in how they are written', () => {
    expect(packages("Mara's Notes", notes, app('com.z', 'Mara‘s Notes'))).to.have.length(2);
  });
});

describe('launcher activities', () => {
  it('are read with their labels where the phone prints them', () => {
    const text = [
      '2 activities found:',
      '  Activity #0:',
      '    priority=0 preferredOrder=0 match=0x108000',
      '    ActivityInfo:',
      '      name=com.x.notes.MainActivity',
      '      packageName=com.x.notes',
      '      labelRes=0x0 nonLocalizedLabel=My Notes icon=0x7f01',
      '  Activity #1:',
      '    ActivityInfo:',
      '      name=org.other.Start',
      '      packageName=com.y',
      '      labelRes=0x7f040001 nonLocalizedLabel=null icon=0x0',
    ].join('\n');
    expect(parseActivities(text)).to.deep.equal([
      { package: 'com.x.notes', component: 'com.x.notes/.MainActivity', label: 'My Notes' },
      { package: 'com.y', component: 'com.y/org.other.Start', label: undefined },
    ]);
  });
});
