// How well words can be read, as the browser paints them: WCAG's contrast of a word against what lies under it.

import type { Locator } from '@playwright/test';

export interface Seen {
  word: string;
  /** It has words of its own, not only in what it holds. */
  own: boolean;
  shape: boolean;
  /** Of the word against what lies under it. */
  contrast: number;
  drawn: string;
}

/** All of these that are visible; with `pseudo`, in that state of their text. */
export async function seen(all: Locator, pseudo?: '::selection'): Promise<Seen[]> {
  return await all.evaluateAll((elements, pseudo) => {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 1;
    const ink = canvas.getContext('2d', { willReadFrequently: true });
    const light = (colours: string[]): number => {
      if (ink === null) return 0;
      // One over the other, as they lie on the page.
      for (const colour of colours) {
        ink.fillStyle = colour;
        ink.fillRect(0, 0, 1, 1);
      }
      const [r = 0, g = 0, b = 0] = [...ink.getImageData(0, 0, 1, 1).data].map((part) => {
        const c = part / 255;
        return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    return elements.filter((one) => one.checkVisibility()).map((one) => {
      const grounds = ['Canvas'];
      const parents: Element[] = [];
      for (let at: Element | null = one; at !== null; at = at.parentElement) parents.unshift(at);
      for (const parent of parents) grounds.push(getComputedStyle(parent).backgroundColor);
      if (pseudo !== undefined) grounds.push(getComputedStyle(one, pseudo).backgroundColor);
      const under = light(grounds);
      const word = light([...grounds, getComputedStyle(one, pseudo).color]);
      const [dark, bright] = [Math.min(under, word), Math.max(under, word)];
      const shape = one.querySelector('svg');
      const box = shape?.getBoundingClientRect();
      return {
        word: one.textContent?.trim() ?? '',
        own: [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== ''),
        shape: box !== undefined && box.width >= 8 && box.height >= 8,
        contrast: (bright + 0.05) / (dark + 0.05),
        drawn: shape?.innerHTML ?? '',
      };
    });
  }, pseudo);
}
