import { createHash, createHmac } from 'node:crypto';
import { expect } from 'chai';
import { until } from '../../testing/until.js';
import { signIn } from '../access/people.js';
import { RestClient } from '../rest-client.js';
import { Receiver, respondWith } from '../webhooks/receiver.js';
import { checkPage } from './check-page.js';
import { waitForFieldError } from './field-error.js';
import { describeInBrowser, type PanelWorld, startPanel } from './panel-world.js';

describeInBrowser('API keys and webhooks in the panel', function () {
  let panel: PanelWorld;
  let receiver: Receiver;
  before(async () => {
    receiver = await new Receiver().listen();
    panel = await startPanel();
    await panel.world.api.createPhone({ name: 'bench', start: false });
    await panel.world.api.createPhone({ name: 'kiosk', start: false });
  });
  after(async () => {
    await panel.close();
    await receiver.close();
  });

  const labelsOfKey = async (name: string): Promise<unknown> => {
    const { body } = await (await signIn(panel.world)).ask('GET', '/v1/keys');
    return (body.keys as { name: string; labels: unknown }[]).find((key) => key.name === name)?.labels;
  };

  it('makes a key that is shown once, works within its scope, and is revoked', async () => {
    const { page, context, complaints } = await panel.open();
    await page.goto('/settings/keys');
    await page.getByRole('link', { name: 'Create an API key' }).first().click();
    await page.getByRole('heading', { name: 'Create an API key', level: 1 }).waitFor();
    await page.getByLabel('Name').fill('ci');
    await page.getByLabel(/^Read/).check();
    const newLabel = page.getByLabel('New label');
    await newLabel.fill('Team qa');
    await newLabel.press('Enter');
    await page.getByText('such as team:qa').waitFor();
    for (const label of ['team:qa', 'suite:e2e']) {
      await newLabel.fill(label);
      // A label that is not added yet would not be sent.
      await page.getByRole('button', { name: 'Create key' }).click();
      expect(await page.evaluate<string>('document.activeElement.validationMessage')).to.equal(
        'Add this label, or empty the field.',
      );
      await newLabel.press('Enter');
    }
    await page.getByRole('button', { name: 'Remove the label suite' }).click();
    await page.getByRole('radio', { name: 'Phones that I choose' }).check();
    await page.getByRole('checkbox', { name: 'bench' }).check();
    await checkPage(page, 'key-new');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('heading', { name: 'Key ci', level: 1 }).waitFor();
    const text = (await page.locator('code').first().textContent())!;
    expect(text).to.match(/^cp_[0-9A-Za-z]{40,}$/);
    // A key is a secret, so it must not be in a screenshot.
    await page.evaluate('for (const code of document.querySelectorAll("code")) code.textContent = "cp_…"');
    await checkPage(page, 'key-made');
    await page.getByRole('link', { name: 'I have copied it' }).click();

    const api = new RestClient(panel.world.mesh.url, text);
    const { body } = await api.get('/v1/devices');
    expect(body.devices.map(({ name }: { name: string }) => name)).to.deep.equal(['bench']);
    expect((await api.post('/v1/devices/bench/start')).status).to.equal(403);

    const row = page.getByRole('row', { name: /ci/ });
    await row.getByText(text.slice(0, 8)).waitFor();
    await row.getByText('team:qa').waitFor();
    expect(await page.content()).not.to.contain(text);
    await checkPage(page, 'keys');
    await page.goBack();
    await page.getByLabel('Name').waitFor();
    expect(await page.content()).not.to.contain(text);

    await page.goto('/settings/keys');
    await page.getByRole('link', { name: 'Edit ci' }).click();
    await page.getByLabel(/^Control/).check();
    await page.getByRole('button', { name: 'Remove the label team' }).click();
    await newLabel.fill('ring:1');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    expect(await labelsOfKey('ci')).to.deep.equal({ ring: '1' });
    await page.getByLabel('Name').fill('ci, changed');
    await page.getByText('Saved').waitFor({ state: 'detached' });
    expect((await api.post('/v1/devices/bench/stop')).status).to.equal(409);
    await page.getByRole('button', { name: 'Revoke…' }).click();
    await checkPage(page, 'key-revoke');
    await page.getByLabel('Type ci to confirm').fill('ci');
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();
    await until(async () => (await api.get('/v1/devices')).status === 401);
    expect(await page.getByRole('link', { name: 'Edit ci' }).count()).to.equal(0);
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('leaves alone what somebody else changes while the page of a key is open', async () => {
    const owner = await signIn(panel.world);
    await owner.createKey({ name: 'shared', labels: { team: 'qa' } });
    const shared = async () => {
      const { body } = await owner.ask('GET', '/v1/keys');
      return (body.keys as { id: string; name: string; labels: object }[]).find(({ name }) =>
        name.startsWith('shared'),
      )!;
    };
    const { page, context, complaints } = await panel.open();
    await page.clock.install();
    await page.goto(`/settings/keys/${(await shared()).id}`);
    const name = page.getByLabel('Name');
    await name.waitFor();
    const limits = {
      expires_at: new Date(Date.now() + 30 * 86_400_000).toISOString(),
      allow: ['0.0.0.0/0', '::/0'],
      requests_per_minute: 30,
    };
    const theirs = { ...limits, name: 'shared by all', scope: 'read', devices: ['bench'], webhook_url: receiver.url() };
    const { status } = await owner.ask('PATCH', `/v1/keys/${(await shared()).id}`, {
      ...theirs,
      labels: { ring: '1' },
    });
    expect(status).to.equal(200);
    await page.clock.runFor(31_000);
    await page.getByRole('heading', { name: 'Key shared by all', level: 1 }).waitFor();
    await page.getByLabel('New label').fill('suite:e2e');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    const all = { team: 'qa', ring: '1', suite: 'e2e' };
    expect(await shared()).to.deep.include({ ...theirs, labels: all });
    // From then on the form shows the key as it is, and the next save again changes only what is edited.
    expect(await name.inputValue()).to.equal('shared by all');
    await page.getByRole('button', { name: 'Remove the label ring' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    expect(await shared()).to.deep.include({ ...theirs, labels: { team: 'qa', suite: 'e2e' } });
    await owner.ask('DELETE', `/v1/keys/${(await shared()).id}`);
    expect(complaints).to.deep.equal([]);
    await context.close();
  });

  it('shows the API’s refusals', async () => {
    const { page, context } = await panel.open();
    await page.goto('/settings/keys/new');
    await page.getByLabel('Name').fill('hooked');
    await page.getByLabel('URL').fill('ftp://example.com');
    await page.getByRole('button', { name: 'Create key' }).click();
    await waitForFieldError(page.getByLabel('URL'), 'http');
    await context.close();
  });

  it('sends a test to a webhook, shows it in the log, and sends it again', async () => {
    const { page, context, complaints } = await panel.open();
    await page.goto('/settings/webhooks');
    await page.getByText('No webhooks yet').waitFor();
    await checkPage(page, 'webhooks-none');
    await page.getByRole('link', { name: 'Add a webhook' }).click();
    await page.getByLabel('Name').fill('hooks');
    await page.getByLabel('URL').fill(receiver.url());
    await page.getByRole('button', { name: 'Create key' }).click();
    const text = (await page.locator('code').first().textContent())!;
    await page.getByRole('link', { name: 'I have copied it' }).click();
    await page.getByRole('link', { name: 'Edit hooks' }).click();
    receiver.behave = respondWith(500);
    await page.getByRole('button', { name: 'Send a test' }).click();
    await receiver.until(1);
    const [{ headers, body }] = receiver.received as [(typeof receiver.received)[0]];
    const secret = createHash('sha256').update(text).digest('hex');
    expect(headers['x-service-signature']).to.equal(createHmac('sha256', secret).update(body).digest('hex'));
    await page.getByRole('cell', { name: /^500/ }).waitFor();
    // The second attempt comes by itself after ten seconds.
    receiver.behave = respondWith(204);
    await page.getByRole('cell', { name: '204', exact: true }).waitFor();
    await page.getByText('delivered').first().waitFor();
    await checkPage(page, 'key-edit');
    const before = receiver.received.length;
    await page.getByRole('button', { name: 'Send again: test' }).click();
    await receiver.until(before + 1);
    await page.goto('/settings/webhooks');
    const deliveries = page.getByRole('table', { name: /^Deliveries/ });
    await deliveries.getByRole('row', { name: /test/ }).getByText('delivered').waitFor();
    await page.getByRole('table', { name: 'Webhooks' }).getByRole('link', { name: 'hooks' }).waitFor();
    await page.getByRole('region', { name: 'What the states mean' }).getByText('tried three times').waitFor();
    await checkPage(page, 'webhooks');
    await deliveries.getByRole('link', { name: 'test' }).first().click();
    await page.getByRole('heading', { name: 'test', level: 1 }).waitFor();
    await page.getByLabel('Payload', { exact: true }).getByText('"event": "test"').waitFor();
    receiver.behave = (_request, response) =>
      response.writeHead(422, { 'content-type': 'text/html' }).end('<script>document.title = "mine"</script>');
    await page.getByRole('button', { name: 'Send again' }).click();
    // The text of a receiver is shown as it is, and only as text.
    await page.getByLabel('Response to attempt').last().getByText('<script>').waitFor();
    await page.getByText('422', { exact: true }).waitFor();
    await page.getByText('Your receiver responded with 422').waitFor();
    expect(await page.title()).to.contain('test');
    await checkPage(page, 'delivery');
    receiver.behave = respondWith(204);
    await page.getByRole('link', { name: 'Back to Webhooks' }).click();
    await page.getByRole('combobox', { name: 'Webhook' }).waitFor();
    await page.getByRole('combobox', { name: 'State' }).click();
    await page.getByRole('option', { name: 'Failed' }).click();
    await page.getByText('No deliveries').waitFor();
    expect(complaints).to.deep.equal([]);
    await context.close();
  });
});
