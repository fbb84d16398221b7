/** The nonce of this page's Content-Security-Policy; styles made at run time carry it. */
export const nonce = (): string => document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';

// The scroll lock under a dialog reads the nonce of its style element from this global.
Object.assign(globalThis, { __webpack_nonce__: nonce() });
