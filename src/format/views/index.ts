// The one door to what people see of each record.
export { anyView } from './unknown-record.ts';
export { attachmentView } from './attachment.ts';
export { contentView } from './content.ts';
export { conversationView, conversationWithMessagesView, messageView } from './conversation.ts';
export { acknowledgementView, eventTypeView, eventView } from './event.ts';
export { checkView, factView, healthView, pathsView, profileView, settingView } from './installation.ts';
export { identityView } from './identity.ts';
export { changesOf, changeView, diffLines, windowView } from './frozen-walk.ts';
export {
  backupLines,
  exportLines,
  fileView,
  fsckLines,
  importLines,
  pullPlanView,
  verifyLines,
  walkLines,
} from './report.ts';
export { reconcileLines } from './reconcile.ts';
export { positionView } from './sequence.ts';
