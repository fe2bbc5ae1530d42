import { expect } from 'chai';
import { until } from '../../testing/until.js';
import { checkPage } from './check-page.js';
import { describeInBrowser, type PanelPage, type PanelWorld, startPanel } from './panel-world.js';

describeInBrowser('conditions in the panel', function () {
  let panel: PanelWorld;
  let opened: PanelPage;
  before(async () => {
    panel = await startPanel();
    await panel.world.api.createPhone({ name: 'demo' });
    opened = await panel.open();
    await opened.page.goto('/phones/demo/conditions');
  });
  after(() => panel.close());

  const conditions = async () => (await panel.world.api.get('/v1/devices/demo')).body.device.conditions;
  const card = (name: string) => opened.page.getByRole('region', { name });

  it('are set, also by a preset, and reset', async () => {
    const location = card('Location');
    await location.getByRole('combobox', { name: 'Add a preset' }).click();
    await opened.page.getByRole('option', { name: 'Berlin' }).click();
    await location.getByRole('textbox', { name: 'Altitude' }).fill('34');
    await location.getByRole('button', { name: 'Use for this phone' }).click();
    await location.getByText('Changed for this phone').waitFor();
    expect(await conditions()).to.deep.equal({
      location: { latitude: 52.520008, longitude: 13.404954, altitude: 34 },
    });
    await location.getByRole('button', { name: 'Reset' }).click();
    await location.getByText('As the phone itself has it').waitFor();
    expect(await conditions()).to.equal(undefined);
  });

  it('of a battery and a connection are set beside each other', async () => {
    await card('Battery').getByRole('textbox', { name: 'Level' }).fill('7');
    await card('Battery').getByRole('switch', { name: 'At a charger' }).click();
    await card('Battery').getByRole('button', { name: 'Use for this phone' }).click();
    await card('Connection').getByRole('combobox', { name: 'Add a preset' }).click();
    await opened.page.getByRole('option', { name: '3G' }).click();
    await card('Connection').getByRole('button', { name: 'Use for this phone' }).click();
    await until(async () => (await conditions())?.network !== undefined);
    expect(await conditions()).to.deep.equal({
      battery: { level: 7, charging: true },
      network: { latency_ms: 200, loss: 0, kbps: 1500 },
    });
  });

  it('that are wrong are shown beside their fields', async () => {
    const battery = card('Battery');
    const level = battery.getByRole('textbox', { name: 'Level' });
    for (const [typed, text] of [
      ['many', 'Type a number'],
      ['101', 'must be'],
      ['1.5', 'is not a whole number'],
    ] as const) {
      await level.fill(typed);
      await battery.getByRole('button', { name: 'Use for this phone' }).click();
      await battery.getByText(text).waitFor();
      expect(await level.getAttribute('aria-invalid'), typed).to.equal('true');
    }
    const location = card('Location');
    await location.getByRole('textbox', { name: 'Latitude' }).fill('52');
    await location.getByRole('button', { name: 'Use for this phone' }).click();
    await location.getByRole('alert').getByText('must have latitude and longitude').waitFor();
    expect((await conditions()).battery).to.deep.equal({ level: 7, charging: true });
  });

  it('are good to read in light and dark, and on a narrow screen', async () => {
    await checkPage(opened.page, 'conditions');
  });
});
