// The one door to what people see of each record.
export { anyView } from './views/any.ts';
export { attachmentView } from './views/attachment.ts';
export { contentView } from './views/content.ts';
export { conversationView, conversationWithMessagesView, messageView } from './views/conversation.ts';
export { acknowledgementView, eventTypeView, eventView } from './views/event.ts';
export {
  checkView,
  factView,
  healthView,
  pathsView,
  profileView,
  settingView,
} from './views/installation.ts';
export { identityView } from './views/identity.ts';
export { changesOf, changeView, diffLines, windowView } from './views/frozen.ts';
export {
  backupLines,
  exportLines,
  fileView,
  fsckLines,
  importLines,
  pullPlanView,
  verifyLines,
  walkLines,
} from './views/report.ts';
export { reconcileLines } from './views/reconcile.ts';
export { positionView } from './views/sequence.ts';
