import { expect } from 'chai';
import { until } from '../../testing/until.js';
import { checkPage } from './check-page.js';
import { describeInBrowser, type PanelWorld, startPanel } from './panel-world.js';

describeInBrowser('jobs, groups and schedules in the panel', function () {
  let panel: PanelWorld;
  before(async () => {
    panel = await startPanel();
    for (const name of ['bench', 'kiosk']) await panel.world.api.createPhone({ name, start: false });
  });
  after(() => panel.close());

  it('runs a group on several phones, and shows how far each is', async () => {
    const { page, context, complaints } = await panel.open();
    await page.goto('/groups');
    await page.getByText('No groups yet').waitFor();
    await page.getByRole('link', { name: 'Run a group' }).first().click();
    await page.getByRole('button', { name: 'Choose all 2' }).click();
    await page.getByRole('button', { name: 'Add a step' }).click();
    await page.getByLabel('Name or package of the app').fill('Notes');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Notes everywhere');
    await page.getByLabel('New label').fill('suite:nightly');
    await page.getByLabel('New label').press('Enter');
    await checkPage(page, 'group-new');
    await page.getByRole('button', { name: 'Run on 2 phones' }).click();
    await page.getByRole('heading', { name: 'Notes everywhere', level: 1 }).waitFor();
    await page.getByRole('list', { name: 'Labels of Notes everywhere' }).getByText('suite:nightly').waitFor();
    await page.getByText('2 of 2 phones finished').waitFor();
    for (const name of ['bench', 'kiosk']) {
      await page
        .getByRole('row', { name: new RegExp(name) })
        .getByText('done')
        .waitFor();
      const { body } = await panel.world.api.get(`/v1/devices/${name}/observe?screenshot=none`);
      expect(body.observation.app).to.contain('notes');
    }
    await checkPage(page, 'group');
    await page.getByRole('link', { name: 'Back to Groups' }).click();
    const row = page.getByRole('row', { name: /Notes everywhere/ });
    await row.getByText('suite:nightly').waitFor();
    await checkPage(page, 'groups');
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('chooses the phones of a group by label and state, and names it by its steps', async () => {
    await panel.world.api.createPhone({ name: 'spare', start: false });
    for (const name of ['kiosk', 'spare'])
      await panel.world.api.ask('PATCH', `/v1/devices/${name}`, { labels: { team: 'qa' } });
    const { page, context, complaints } = await panel.open();
    await page.goto('/groups/new');
    await page.getByRole('combobox', { name: 'Label of the phones' }).click();
    await page.getByRole('option', { name: 'team:qa' }).click();
    await page.getByRole('checkbox', { name: 'bench' }).waitFor({ state: 'detached' });
    await page.getByRole('combobox', { name: 'State of the phones' }).click();
    await page.getByRole('option', { name: 'stopped' }).click();
    await page.getByRole('checkbox', { name: 'kiosk' }).waitFor({ state: 'detached' });
    await page.getByRole('checkbox', { name: 'spare' }).check();
    await page.getByText('1 phone chosen').waitFor();
    await checkPage(page, 'group-new-filtered');
    // Chosen phones that a filter hides are still chosen.
    await page.getByRole('combobox', { name: 'State of the phones' }).click();
    await page.getByRole('option', { name: 'running' }).click();
    await page.getByText('1 phone chosen, 1 of them not shown').waitFor();
    await page.getByRole('checkbox', { name: 'kiosk' }).check();
    await page.getByRole('button', { name: 'Run on 2 phones' }).click();
    await page.getByRole('heading', { name: 'Start the phone on 2 phones', level: 1 }).waitFor();
    await page.getByText('2 of 2 phones finished').waitFor();
    // A group that a program made without a name has a name here too.
    const made = await panel.world.api.post('/v1/groups', { devices: ['spare'], steps: [{ stop: {} }] });
    await page.goto(`/groups/${made.body.group.id as string}`);
    await page.getByRole('heading', { name: 'Group of 1 phone', level: 1 }).waitFor();
    await panel.world.api.done(made);
    await panel.world.api.done(await panel.world.api.delete('/v1/devices/spare'));
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('shows which step of a group failed on which phone, and why', async () => {
    const { page, context } = await panel.open();
    await page.goto('/groups/new');
    await page.getByRole('checkbox', { name: 'kiosk' }).check();
    await page.getByRole('combobox', { name: 'Step 1' }).click();
    await page.getByRole('option', { name: 'Open an app' }).click();
    await page.getByLabel('Name or package of the app').fill('Nothing like it');
    await page.getByRole('button', { name: 'Run on 1 phone' }).click();
    await page.getByRole('row', { name: /kiosk/ }).getByText('failed').waitFor();
    await page.getByRole('row', { name: /kiosk/ }).getByText('Nothing like it').waitFor();
    await checkPage(page, 'group-failed');
    await context.close();
  });

  it('refuses a step that is not valid JSON before it is sent', async () => {
    const { page, context } = await panel.open();
    await page.goto('/groups/new');
    await page.getByRole('checkbox', { name: 'kiosk' }).check();
    await page.getByRole('combobox', { name: 'Step 1' }).click();
    await page.getByRole('option', { name: 'Something else, as JSON' }).click();
    await page.getByLabel('Step as JSON').fill('{"act": ');
    await page.getByRole('button', { name: 'Run on 1 phone' }).click();
    await page.getByRole('alert').getByText('Step 1 is not valid JSON').waitFor();
    await context.close();
  });

  it('sends no group with a field that is empty or no number', async () => {
    const { page, context } = await panel.open();
    let sent = 0;
    page.on('request', (request) => (sent += Number(request.method() === 'POST')));
    await page.goto('/groups/new');
    await page.getByRole('checkbox', { name: 'kiosk' }).check();
    const run = page.getByRole('button', { name: 'Run on 1 phone' });
    const focused = (): Promise<string> => page.evaluate<string>('document.activeElement.labels?.[0]?.textContent');
    await page.getByLabel('Phones at the same time').fill('');
    await run.click();
    expect(await focused()).to.equal('Phones at the same time');
    await page.getByLabel('Phones at the same time').fill('51');
    await run.click();
    expect(await focused()).to.equal('Phones at the same time');
    await page.getByLabel('Phones at the same time').fill('2');
    for (const [kind, field] of [
      ['Install an app', 'App of the catalogue'],
      ['Type a text', 'Text to type'],
      ['Wait', 'Seconds'],
    ] as const) {
      await page.getByRole('combobox', { name: 'Step 1' }).click();
      await page.getByRole('option', { name: kind, exact: true }).click();
      await run.click();
      expect(await focused()).to.equal(field);
    }
    await page.getByLabel('Seconds').fill('0.01');
    expect(sent).to.equal(0);
    await run.click();
    await page.getByText('1 of 1 phone finished').waitFor();
    await context.close();
  });

  it('lists jobs with their progress, by phone and by state', async () => {
    const { page, context, complaints } = await panel.open();
    await page.goto('/jobs');
    const restart = await panel.world.api.post('/v1/devices/bench/restart');
    await page
      .getByRole('row', { name: /Restart.*bench/ })
      .first()
      .waitFor();
    await panel.world.api.done(restart);
    await page.getByRole('row', { name: /Restart bench finished/ }).waitFor();
    await checkPage(page, 'jobs');
    await page.getByRole('combobox', { name: 'Phone' }).click();
    await page.getByRole('option', { name: 'kiosk' }).click();
    await page.getByRole('row', { name: /Create kiosk/ }).waitFor();
    expect(await page.getByRole('row', { name: /bench/ }).count()).to.equal(0);
    await page.getByRole('combobox', { name: 'State' }).click();
    await page.getByRole('option', { name: 'Failed' }).click();
    await page.getByText('No such jobs').waitFor();
    await page.getByRole('button', { name: 'Show all jobs' }).click();
    await page.getByRole('row', { name: /bench/ }).first().waitFor();
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('makes a schedule, changes it, pauses it and deletes it', async () => {
    const { page, context, complaints } = await panel.open();
    const stored = async () => (await panel.world.api.get('/v1/schedules')).body.schedules;
    await page.goto('/schedules');
    await page.getByText('No schedules yet').waitFor();
    await page.getByRole('link', { name: 'Create a schedule' }).first().click();
    await page.getByRole('checkbox', { name: 'Friday' }).uncheck();
    await page.locator('input[type=time]').fill('07:30');
    await page.getByRole('combobox', { name: 'Time zone' }).click();
    await page.getByRole('combobox', { name: 'Time zone' }).fill('Europe/Ber');
    await page.getByRole('option', { name: 'Europe/Berlin' }).click();
    await page.getByRole('checkbox', { name: 'bench' }).check();
    await checkPage(page, 'schedule-new');
    await page.getByRole('button', { name: 'Create schedule' }).click();
    const row = page.getByRole('row', { name: /Mon, Tue, Wed, Thu at 07:30, Europe\/Berlin/ });
    await row.waitFor();
    const [made] = await stored();
    expect(made).to.deep.include({ days: ['mon', 'tue', 'wed', 'thu'], time: '07:30', timezone: 'Europe/Berlin' });
    expect(made).to.deep.include({ devices: ['bench'], steps: [{ start: {} }], enabled: true });
    await checkPage(page, 'schedules');

    await row.getByRole('link', { name: /^Edit/ }).click();
    await page.locator('input[type=time]').fill('08:15');
    await checkPage(page, 'schedule-edit');
    await page.getByRole('combobox', { name: 'Step 1' }).click();
    await page.getByRole('option', { name: 'Restart the phone' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /at 08:15/ }).waitFor();
    expect((await stored())[0]).to.deep.include({ time: '08:15', steps: [{ restart: {} }] });

    await page.getByRole('switch', { name: /^Run the schedule/ }).click({ force: true });
    await until(async () => (await stored())[0].enabled === false);
    await page.getByRole('row', { name: /at 08:15.*Turned off Has not run yet/ }).waitFor();
    await page.getByRole('link', { name: /^Edit/ }).click();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('button', { name: 'Delete schedule' }).click();
    await page.getByText('No schedules yet').waitFor();
    expect(await stored()).to.deep.equal([]);
    expect(complaints).to.deep.equal([]);
    await context.close();
  });
});
