import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';

/** What is looked at: the part of the page of that selector alone, by the rules of those names alone. */
type Looked = {
  readonly include?: string;
  readonly rules?: readonly string[];
};

/** What axe holds against a page that stands still, a line for each place: the rule and the start of its HTML. */
export async function accessibilityFaults(page: Page, looked: Looked = {}): Promise<string[]> {
  await untilStill(page);
  let axe = new AxeBuilder({ page });
  if (looked.include !== undefined) axe = axe.include(looked.include);
  if (looked.rules) axe = axe.withRules([...looked.rules]);
  const { violations } = await axe.analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}

/**
 * Waits until nothing moves on its way to an end: in the middle of a transition a colour is neither the one before nor
 * the one after. A change of theme or of the window's width reaches the page a frame later, so frames are counted.
 * Movements without an end, such as a loader's, are not waited for.
 */
export async function untilStill(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const ending = () =>
      document.getAnimations().filter(({ effect, playState }) => {
        return playState === 'running' && Number.isFinite(effect?.getComputedTiming().endTime);
      });
    for (let still = 0; still < 3; still++) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const moving = ending();
      if (moving.length === 0) continue;
      still = -1;
      await Promise.allSettled(moving.map(({ finished }) => finished));
    }
  });
}
