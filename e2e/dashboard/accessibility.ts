import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';

/** The scope of a check: only the part of the page of that selector, only the rules of those names. */
type Looked = {
  readonly include?: string;
  readonly rules?: readonly string[];
};

/** The violations that axe finds in a page at rest, a line for each element: the rule and the start of its HTML. */
export async function accessibilityFaults(page: Page, looked: Looked = {}): Promise<string[]> {
  await untilStill(page);
  // Legacy: without a further page for each check. That page is for frames, of which there are none.
  let axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'], selectors: false });
  if (looked.include !== undefined) axe = axe.include(looked.include);
  if (looked.rules) axe = axe.withRules([...looked.rules]);
  const { violations } = await axe.analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}

/**
 * Waits until no finite animation is running: during a transition a color is neither the old nor the new one. A change
 * of theme or of the window's width reaches the page a frame later, so frames are counted. Endless animations, such as
 * a loader's, are ignored.
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
