import { expect, test } from '../fixture.ts';
import { untilStill } from './accessibility.ts';
import { askOften, signIn } from './steps.ts';

test('a custom time range is typed, kept across screens, and cleared again', async ({ page, product }) => {
  await askOften(product, 'sim-leaky', 1);
  await signIn(page, product, '/?range=1h');
  await page.getByRole('button', { name: 'Custom time range' }).click();
  const local = (at: number) => new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  const [from, to] = [Date.now() - 7_200_000, Date.now() + 60_000].map((at) => Math.floor(at / 60_000) * 60_000);
  await page.getByLabel('From').fill(local(to ?? 0));
  await page.getByLabel('To', { exact: true }).fill(local(from ?? 0));
  await expect(page.getByText('From must be before To.')).toBeVisible();
  await page.getByLabel('From').fill(local(from ?? 0));
  await page.getByLabel('To', { exact: true }).fill(local(to ?? 0));
  await page.getByRole('button', { name: 'Apply' }).click();
  const rangeQuery = `from=${encodeURIComponent(new Date(from ?? 0).toISOString())}&to=${encodeURIComponent(new Date(to ?? 0).toISOString())}`;
  const holds = () =>
    expect(page).toHaveURL((url) => url.search.includes(rangeQuery) && !url.search.includes('range='));
  await holds();
  await expect(page.getByText(/requests? in this time range/)).toBeVisible();
  await page.getByRole('link', { name: 'Keys' }).click();
  await page.getByRole('link', { name: 'Transcripts' }).click();
  await holds();
  await page.getByRole('link', { name: 'Usage' }).click();
  await holds();
  await page.getByRole('button', { name: 'Clear time range' }).click();
  await expect(page).not.toHaveURL(/from=/);
});

test('dragging over a chart sets its time range; a click still opens failures', async ({ page, product }) => {
  await askOften(product, 'sim-leaky', 2);
  await signIn(page, product, '/?range=1h');
  const chart = page.getByRole('region', { name: 'Outcomes over time' }).getByRole('application');
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
  // Where a share of its width is now: what loads above the chart moves it.
  const moveTo = async (share: number) => {
    const box = await chart.boundingBox();
    if (!box) throw new Error('no chart');
    await chart.hover({ position: { x: box.width * share, y: box.height / 2 }, force: true });
  };
  await untilStill(page);
  await moveTo(0.3);
  await page.mouse.down();
  for (const share of [0.4, 0.5, 0.6, 0.7]) await moveTo(share);
  await page.mouse.up();
  await expect(page).toHaveURL(/\/\?.*from=/);
  const query = new URL(page.url()).searchParams;
  const minutes = (Date.parse(query.get('to') ?? '') - Date.parse(query.get('from') ?? '')) / 60_000;
  expect(minutes).toBeGreaterThan(15);
  expect(minutes).toBeLessThan(35);
  await page.goBack();
  await expect(page).toHaveURL(/range=1h/);
  await chart.click();
  await expect(page).toHaveURL(/\/failures\?from=/);
});

test('Back closes a dialog, and closing it leaves no history entry', async ({ page, product }) => {
  await signIn(page, product, '/failures');
  await page.getByRole('link', { name: 'Keys' }).click();
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toBeVisible();
  await page.goBack();
  await expect(dialog).toBeHidden();
  await expect(page).toHaveURL(/\/keys$/);
  await page.getByRole('button', { name: 'Create key' }).click();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toBeHidden();
  await page.goBack();
  await expect(page).toHaveURL(/\/failures/);
});

test('a key’s instructions say that a loopback address works here only', async ({ page, product }) => {
  await signIn(page, product, '/keys?issue=one');
  await page.getByRole('dialog').getByLabel('Owner').fill('Ann');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  await expect(
    page.getByText(/uses 127\.0\.0\.1:\d+, which works only on the machine that runs Callsmith/),
  ).toBeVisible();
});
