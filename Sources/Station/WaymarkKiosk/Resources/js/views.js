// All views that are loaded after the start view. Packages bundle them as one file, views.js.
import './texts.js';

export * as about from './views/about.js';
export * as ar from './views/ar.js';
export * as count from './views/count.js';
export * as documents from './views/documents.js';
export * as field from './views/field.js';
export * as profile from './views/profile.js';
export * as scanner from './views/scanner.js';
export * as signin from './views/signin.js';
