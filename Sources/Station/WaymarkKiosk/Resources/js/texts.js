// Adds the texts that the start view does not need.
import { include } from './strings.js';
import * as account from './strings/account.js';
import * as count from './strings/count.js';
import * as documents from './strings/documents.js';
import * as elements from './strings/elements.js';
import * as explore from './strings/explore.js';
import * as form from './strings/form.js';
import * as handover from './strings/handover.js';
import * as scanner from './strings/scanner.js';

include(account, count, documents, elements, explore, form, handover, scanner);
