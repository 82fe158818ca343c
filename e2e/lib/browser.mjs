// Chromium as a person would use it, with every console error, failed request and policy report kept.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const require = createRequire(import.meta.url);
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const SHOTS = process.env.LAKEGLASS_SCREENSHOTS ?? new URL('../screenshots', import.meta.url).pathname;
mkdirSync(SHOTS, { recursive: true });

export const openBrowser = () => chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});

/**
 * One person's browser window. `scripts: false` is a browser without JavaScript; `wasm: false` one
 * whose WebAssembly never arrives. `faults` fills with what went wrong on any page.
 */
export async function openWindow(browser, { url, theme = 'light', width = 1280, scripts = true, wasm = true, bypassCSP = false } = {}) {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width, height: width < 600 ? 640 : 800 },
    colorScheme: theme,
    javaScriptEnabled: scripts,
    bypassCSP,
  });
  const faults = [];
  if (!wasm) await context.route('**/*.wasm', (route) => route.abort());
  context.on('page', (page) => {
    page.on('console', (message) => {
      if (message.type() === 'error' || /Content Security Policy/i.test(message.text())) {
        // A blocked wasm download, and an error page's own status, are what those tests ask for.
        const asked = (!wasm && /wasm|boot|ERR_FAILED|Failed to fetch/i.test(message.text()))
          || /the server responded with a status of (4\d\d|50[234])/.test(message.text());
        if (!asked) faults.push(`${page.url()}: ${message.text()}`);
      }
    });
    page.on('pageerror', (error) => { if (wasm) faults.push(`${page.url()}: ${error.message}`); });
  });
  const page = await context.newPage();
  return { context, page, faults, close: () => context.close() };
}

export const PASSWORD = 'quiet-lake-glass-42';

export const signIn = async (page, name, password = PASSWORD) => {
  await page.goto('/sign-in');
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((address) => !address.pathname.startsWith('/sign-in'));
};

/** A window of someone who is signed in. */
export async function openSignedIn(browser, server, name, options = {}) {
  const window = await openWindow(browser, { url: server.url, ...options });
  await signIn(window.page, name);
  return window;
}

/** Runs a test in a window of its own, and fails it on any console error, failed script or CSP report. */
export async function inWindow(browser, server, name, test, options = {}) {
  const window = await openSignedIn(browser, server, name, options);
  try {
    await test(window.page, window.context);
    assert.deepEqual(window.faults, []);
  } finally {
    await window.close();
  }
}

/** What the page says happened, after a form led here. */
export const said = (page) => page.locator('main [role=status]').first().innerText();

/** Clicks what sends a form and waits for the page it leads to. */
export async function press(page, name, within = page) {
  // Together: when the click fails, its own words are the test's, not those of a wait that was cut off.
  await Promise.all([
    page.waitForEvent('load'),
    within.getByRole('button', { name, exact: true }).click(),
  ]);
}

/** axe over the page as it stands; answers the violations in words. The window needs bypassCSP. */
export async function axe(page) {
  await page.evaluate(AXE);
  const violations = await page.evaluate(async () => {
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
    const result = await globalThis.axe.run(document, {
      runOnly: { type: 'tag', values: tags },
      rules: { 'target-size': { enabled: true } },
    });
    const ran = [...result.passes, ...result.violations, ...result.incomplete, ...result.inapplicable];
    if (!ran.some((rule) => rule.id === 'target-size')) throw new Error('axe did not run target-size');
    return result.violations.flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.html.slice(0, 160)} (${node.failureSummary?.split('\n')[1]?.trim()})`));
  });
  return violations;
}

/** Whether the page itself scrolls sideways; a table inside it may. */
export const scrollsSideways = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);

/** A picture for people to look at: of the whole page, or only of what is in sight (a dialog over it). */
export async function shoot(page, name, { fullPage = true } = {}) {
  // The top bar stays where the page was scrolled to; a picture of it all starts at the top.
  if (fullPage) await page.evaluate(() => window.scrollTo(0, 0)).catch(() => {});
  await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage });
}
