// The views of records and reports. Other rooms import them from here; only one that is loaded by itself has its own import().
export { anyView } from './unknown-record.ts';
export { attachmentView, attachmentViewWithoutUrl } from './attachment.ts';
export { attachmentCountView } from './attachment-count.ts';
export { contentView } from './content.ts';
export { messageDiffLines, viewDiffLines } from './content-diff.ts';
export {
  conversationView,
  conversationWithMessagesView,
  messageView,
  neighbourView,
} from './conversation.ts';
export { acknowledgementView, eventTypeView, eventView, fieldWords } from './event.ts';
export { checkView, factView, healthView, pathsView, profileView, settingView } from './installation.ts';
export {
  forgottenView,
  identityView,
  loweredIdentityView,
  issuedTokenView,
  revokedTokenView,
  type ShownToken,
} from './identity.ts';
export { changesOf, changeView, diffLines, windowView } from './frozen-walk.ts';
export { archiveCopyLines } from './archive-copy.ts';
export { archiveEntryView, archiveMoveLines, archiveUpgradeLines, type ListedArchive } from './archives.ts';
export { backupLines, countOf, fsckLines, importLines, tierChangeTexts } from './archive-report.ts';
export { filesMoveLines } from './files-move.ts';
export { exportLines, fileView, plannedFileView, pullPlanLines, verifyLines } from './files-report.ts';
export { walkLines } from './walk-report.ts';
export { wholeArchiveLines } from './whole-archive.ts';
export { readMessageLines, readMessageView, type ReadingStyle } from './reading.ts';
export { reconcileLines } from './reconcile.ts';
export { conversationCountView, isOnlyQuoted, searchCountView, searchHitView } from './search.ts';
export { serviceFindingView, serviceReportLines } from './service-report.ts';
export { positionView, sequenceReadingView } from './sequence.ts';
export { integrityStyle, statusStyle } from './shared-columns.ts';
export { keyLines, NO_VALUE } from './view.ts';
export { viewForRows } from './columns-for-rows.ts';
