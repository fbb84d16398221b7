import { expect, test } from '../fixture.ts';
import { accessibilityFaults } from './accessibility.ts';
import { signIn, tabTo } from './steps.ts';

for (const scheme of ['light', 'dark'] as const)
  test(`the help explains terms and shortcuts, by mouse and by keyboard, without accessibility violations, ${scheme}`, async ({
    page,
    product,
  }) => {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    await signIn(page, product);
    const help = page.getByRole('dialog', { name: 'Help' });
    await page.getByRole('button', { name: 'Help' }).click();
    await expect(help).toContainText('How tools reach a model');
    await page.keyboard.press('Escape');
    await expect(help).toBeHidden();
    await page.keyboard.press('Shift+?');
    await expect(help.getByRole('table', { name: 'Keyboard shortcuts' })).toBeVisible();
    for (const width of [360, 1920]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await accessibilityFaults(page)).toEqual([]);
      await page.screenshot({ path: `.cache/screenshots/help-${scheme}-${width}.png` });
    }
  });

test('the sign-in page says what the product is', async ({ page, product }) => {
  await page.goto(product.url);
  await expect(page.getByText(/gateway between coding clients and your model servers/)).toBeVisible();
  await page.screenshot({ path: '.cache/screenshots/sign-in.png' });
});

test('the code of a page is loaded when its menu entry is hovered or focused', async ({ page, product }) => {
  await signIn(page, product);
  await expect(page.locator('h1').first()).toBeVisible();
  const menu = page.getByRole('navigation');
  const loaded = (part: string) =>
    page.evaluate(
      (name) => performance.getEntriesByType('resource').some(({ name: url }) => url.includes(`/assets/${name}-`)),
      part,
    );
  expect(await loaded('audit')).toBe(false);
  await menu.getByRole('link', { name: 'Audit' }).hover();
  await expect.poll(() => loaded('audit')).toBe(true);
  expect(await loaded('settings')).toBe(false);
  await tabTo(page, menu.getByRole('link', { name: 'Settings' }));
  await expect.poll(() => loaded('settings')).toBe(true);
});
