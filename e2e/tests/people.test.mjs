// Who may do what: tokens, sessions, and the roles as a browser meets them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { inWindow, openBrowser, openSignedIn, press, said, shoot } from '../lib/browser.mjs';
import { api, client, startServer } from '../lib/server.mjs';

let browser;
let server;
let rest;

before(async () => {
  [browser, server] = await Promise.all([openBrowser(), startServer()]);
  for (const [name, role] of [['ana', 'admin'], ['vera', 'viewer'], ['rudi', 'reader'], ['eda', 'editor']]) {
    server.addUser(name, role);
  }
  rest = api(server.url, server.token('test', 'admin'));
  await rest.post('/api/v1/buckets', { name: 'shop', format: 'lance' });
  client('table', server.url, rest.token, 'shop$sales$orders', 60);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const TABLE = '/buckets/shop/ns/sales/tables/orders';
const as = (name, test) => inWindow(browser, server, name, test);

test('a token is shown once, works, and stops working when revoked', () => as('eda', async (page) => {
  await page.goto('/settings/tokens');
  await page.getByText('No API tokens yet').waitFor();
  await page.getByLabel('Name').fill('nightly-load');
  await page.getByLabel('Role').selectOption('reader');
  await page.getByLabel('Valid for days').fill('0');
  await press(page, 'Create token');
  await page.getByRole('alert').waitFor();
  assert.equal(await page.getByLabel('Name').inputValue(), 'nightly-load', 'nothing typed is lost');
  await shoot(page, 'token-refused');
  await page.getByLabel('Valid for days').fill('7');
  await press(page, 'Create token');
  const secret = await page.locator('#secret').innerText();
  assert.match(secret, /^lg_/);
  await shoot(page, 'token-made');

  const asked = () => fetch(`${server.url}/api/v1/buckets`, { headers: { authorization: `Bearer ${secret}` } });
  assert.equal((await asked()).status, 200);
  await page.goto('/settings/tokens');
  assert.ok(!(await page.content()).includes(secret), 'the secret is not shown again');
  await press(page, 'Revoke');
  assert.match(await said(page), /The token was revoked/);
  await page.getByText('Revoked', { exact: true }).waitFor();
  assert.equal((await asked()).status, 401);
}));

test('a session is ended from the list of another', () => as('ana', async (page) => {
  const other = await openSignedIn(browser, server, 'ana');
  try {
    await page.goto('/settings/sessions');
    const own = page.getByRole('row', { name: /This one/ });
    assert.equal(await own.count(), 1);
    assert.equal(await own.getByRole('button').count(), 0, 'this session ends by signing out');
    await shoot(page, 'sessions-two');
    await press(page, 'End', page.getByRole('row').filter({ has: page.getByRole('button', { name: 'End' }) }).first());
    assert.match(await said(page), /The session was ended/);
    await other.page.goto('/buckets');
    assert.equal(new URL(other.page.url()).pathname, '/sign-in');
    await page.goto('/buckets');
    assert.equal(new URL(page.url()).pathname, '/buckets', 'the own session goes on');
  } finally {
    await other.close();
  }
}));

test('a viewer sees what there is, not the rows, and may change nothing', () => as('vera', async (page) => {
  const offered = async (path) => {
    await page.goto(path);
    return page.locator('main').getByRole('button').allInnerTexts();
  };
  await page.goto('/buckets');
  assert.equal(await page.getByRole('link', { name: 'New bucket' }).count(), 0);
  await page.goto('/buckets/shop');
  assert.equal(await page.getByRole('button', { name: 'Create namespace' }).count(), 0);
  await page.goto('/buckets/shop/settings');
  await page.getByText('Changing these needs the admin role').waitFor();
  await page.goto('/buckets/shop/ns/sales');
  assert.equal(await page.getByRole('link', { name: 'Create table' }).count(), 0);
  assert.equal(await page.getByRole('link', { name: 'Drop namespace' }).count(), 0);
  assert.deepEqual((await offered(`${TABLE}/settings`)).filter((label) => /rename|drop|protect|trash|save/i.test(label)), []);
  await page.getByText('You may look, not change').waitFor();
  await shoot(page, 'viewer-settings');

  const rows = await page.goto(`${TABLE}/rows`);
  assert.equal(rows.status(), 403);
  await page.getByText('You may not see the rows').waitFor();
  assert.equal(await page.getByText('Oslo').count(), 0);
  await shoot(page, 'viewer-rows');
  assert.equal((await page.request.get(`${TABLE}/rows/download?format=csv`)).status(), 403);

  // The same by hand, as a form of the console would send it.
  const post = (path, form = {}) => page.evaluate(async ([path, form]) => {
    const answer = await fetch(path, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' });
    return answer.status;
  }, [path, form]);
  for (const [path, form] of [
    ['/new-bucket', { name: 'mine', format: 'lance', storage: 'local' }],
    ['/buckets/shop/namespaces', { namespace: 'mine' }],
    ['/buckets/shop/settings', { description: 'mine' }],
    ['/buckets/shop/ns/sales/drop', { cascade: 'on', confirm: 'sales' }],
    [`${TABLE}/settings/rename`, { name: 'mine', namespace: 'sales' }],
    [`${TABLE}/settings/deregister`],
    [`${TABLE}/settings/drop`, { confirm: 'orders' }],
    ['/settings/users', { name: 'mine', password: 'a long enough password', role: 'admin' }],
  ]) {
    assert.equal(await post(path, form), 403, path);
  }
  assert.equal((await rest.get('/api/v1/buckets')).items.length, 1);
  await rest.get('/api/v1/buckets/shop/namespaces/sales/tables/orders');
}));

test('a reader sees rows and may change nothing', () => as('rudi', async (page) => {
  await page.goto(`${TABLE}/rows`);
  await page.getByRole('cell', { name: 'Oslo' }).first().waitFor();
  await page.goto(`${TABLE}/settings`);
  await page.getByText('You may look, not change').waitFor();
}));

test('an editor renames a table, and leaves protection and people alone', () => as('eda', async (page) => {
  client('table', server.url, rest.token, 'shop$sales$drafts', 3);
  await page.goto('/buckets/shop/ns/sales/tables/drafts/settings');
  await page.getByText('Only an admin of this bucket can change this').waitFor();
  await page.getByLabel('Name', { exact: true }).fill('draft s');
  await press(page, 'Rename');
  assert.match(await page.getByRole('alert').innerText(), /Not a table name/);
  await shoot(page, 'rename-refused');
  await page.getByLabel('Name', { exact: true }).fill('finals');
  await press(page, 'Rename');
  await page.getByRole('heading', { level: 1, name: 'finals' }).waitFor();
  const users = await page.goto('/settings/users');
  assert.equal(users.status(), 403);
  await page.getByRole('heading', { name: 'That needs another role' }).waitFor();
  await shoot(page, 'needs-another-role');
}));

test('a role in one bucket shows that bucket and no other', async () => {
  await rest.post('/api/v1/buckets', { name: 'secret', format: 'lance' });
  await rest.post('/api/v1/users', { name: 'bo', password: 'quiet-lake-glass-42' });
  await rest.put('/api/v1/users/bo/grants', { scope: { bucket: 'shop' }, role: 'reader' });
  await as('bo', async (page) => {
    await page.goto('/buckets');
    await page.getByRole('link', { name: 'shop', exact: true }).waitFor();
    assert.equal(await page.getByText('secret').count(), 0);
    assert.equal((await page.goto('/buckets/secret')).status(), 404);
    await page.goto(`${TABLE}/rows`);
    await page.getByRole('cell', { name: 'Oslo' }).first().waitFor();
  });
});
