import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { until } from '../../testing/until.js';
import { checkPage } from './check-page.js';
import { describeInBrowser, type PanelWorld, startPanel } from './panel-world.js';

const FIXTURE = fileURLToPath(new URL('../../../phone/apk/fixtures/fixture-v1.apk', import.meta.url));

describeInBrowser('templates and the app library in the panel', function () {
  let panel: PanelWorld;
  before(async () => {
    panel = await startPanel();
    await panel.world.api.createPhone({ name: 'demo' });
  });
  after(() => panel.close());

  const api = () => panel.world.api;

  it('make a template of a snapshot, make a phone from it, and delete it', async () => {
    const { job } = (await api().post('/v1/devices/demo/snapshots', { label: 'signed in' })).body;
    await api().get(`/v1/jobs/${job.id}?wait_s=60`);
    const { page, context, complaints } = await panel.open();
    await page.goto('/phones/demo/snapshots');
    await page.getByRole('button', { name: 'Make a template of signed in' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('golden');
    await checkPage(page, 'template-new');
    await page.getByRole('button', { name: 'Make template' }).click();
    await until(async () => (await api().get('/v1/templates/golden')).body.template?.state === 'ready');

    // The name is taken now, and the dialog says so.
    await page.goto('/phones/demo/snapshots');
    await page.getByRole('button', { name: 'Make a template of signed in' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('golden');
    await page.getByRole('button', { name: 'Make template' }).click();
    await page.getByText('is taken by another template', { exact: false }).waitFor();
    // The browser itself reports the refusal.
    complaints.splice(0);

    await page.goto('/templates');
    await page
      .getByRole('row', { name: /golden/ })
      .getByText('phone-720p, Android 14')
      .waitFor();
    await checkPage(page, 'templates');
    await page.getByRole('link', { name: 'Create a phone from golden' }).click();
    expect(await page.getByRole('combobox', { name: 'Template' }).inputValue()).to.equal('golden');
    expect(await page.getByRole('combobox', { name: 'Model' }).isDisabled()).to.equal(true);
    await checkPage(page, 'phone-new-template');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('copy');
    await page.getByRole('button', { name: 'Create and start' }).click();
    await until(async () => (await api().get('/v1/devices/copy')).body.device?.state === 'running');

    await page.goto('/templates');
    await page.getByRole('button', { name: 'Delete golden' }).click();
    await page.getByRole('button', { name: 'Delete template' }).click();
    await page.getByRole('button', { name: 'Delete template' }).waitFor({ state: 'detached' });
    expect((await api().get('/v1/templates/golden')).status).to.equal(404);
    await page.getByRole('row', { name: /golden/ }).waitFor({ state: 'detached' });
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('upload an app to the library, install it on a phone, and delete it', async () => {
    const { page, context, complaints } = await panel.open();
    await page.goto('/library');
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'File' }).click();
    await (await chooser).setFiles(FIXTURE);
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).to.equal('fixture-v1');
    await page.getByRole('button', { name: 'Upload' }).click();
    await page.getByRole('row', { name: /my\/fixture-v1/ }).waitFor();
    await checkPage(page, 'library');
    const { app } = (await api().get('/v1/library/apps/fixture-v1')).body;
    expect(app.size).to.equal((await readFile(FIXTURE)).length);

    await page.goto('/phones/demo/apps');
    await page.getByRole('button', { name: 'Install my/fixture-v1' }).click();
    await until(async () => {
      const { apps } = (await api().get('/v1/devices/demo/apps')).body;
      return apps.some((one: { package: string }) => one.package === app.package);
    });
    await checkPage(page, 'phone-apps-library');

    await page.goto('/library');
    await page.getByRole('button', { name: 'Delete my/fixture-v1' }).click();
    await page.getByRole('button', { name: 'Delete app' }).click();
    await page.getByRole('button', { name: 'Delete app' }).waitFor({ state: 'detached' });
    expect((await api().get('/v1/library/apps/fixture-v1')).status).to.equal(404);
    expect(complaints).to.deep.equal([]);
    await context.close();
  });
});
