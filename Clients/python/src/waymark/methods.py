"""The methods of the protocol, as methods. Written by Clients/generate from the schema of the protocol. Do not edit."""

from __future__ import annotations

from typing import Any, Literal, TypeVar

from .messages import (
    AccountListResult,
    AccountPolicyResult,
    AccountState,
    AccountUsersResult,
    AnnotationResult,
    CameraControlResult,
    CameraListResult,
    CameraSelectResult,
    CardActionResult,
    CodeSize,
    ConfigReloadResult,
    ConsentExportResult,
    CountState,
    DocumentPage,
    DocumentSaved,
    DocumentSession,
    FormAcknowledgeResult,
    FormField,
    FormPendingResult,
    FormSubmitResult,
    GalleryListResult,
    GalleryScanResult,
    Message,
    PingResult,
    ProfileListResult,
    ProfileStatus,
    RoleLowerResult,
    ScanBeginResult,
    SceneListResult,
    SceneLoadResult,
    SessionResult,
    SignatureListResult,
    SignatureRemoveResult,
    SignatureSaveResult,
    StatusResult,
    TextAccepted,
    TextPatternRequest,
    TextSession,
    TorchResult,
    UnsubscribeResult,
)

Result = TypeVar("Result", bound=Message)


class Methods:
    """Every method of the protocol. Parameters that are None are not sent."""

    def call(self, method: str, params: dict[str, Any] | None = None) -> Any:
        """Sends a request and returns its result as plain JSON values."""
        raise NotImplementedError

    def _call(self, method: str, params: dict[str, Any], result: type[Result]) -> Result:
        raise NotImplementedError

    def ping(self) -> PingResult:
        """Asks whether the service answers."""
        return self._call("ping", {}, PingResult)

    def status(self) -> StatusResult:
        """Asks how the service is."""
        return self._call("status", {}, StatusResult)

    def unsubscribe(self, *, events: list[str] | None = None) -> UnsubscribeResult:
        """Asks for events no more.

        :param events: Patterns that were subscribed; all when missing.
        """
        return self._call("unsubscribe", {"events": events}, UnsubscribeResult)

    def role_lower(self, *, role: Literal["operator", "observer"]) -> RoleLowerResult:
        """Gives up rights for the rest of this connection, before it is used for somebody who has fewer.

        :param role: The role from now on: the own one, or one below it.
        """
        return self._call("role.lower", {"role": role}, RoleLowerResult)

    def config_reload(self) -> ConfigReloadResult:
        """Reloads the configuration, as SIGHUP does."""
        return self._call("config.reload", {}, ConfigReloadResult)

    def profile_list(self) -> ProfileListResult:
        """Asks which profiles there are and which one is in use."""
        return self._call("profile.list", {}, ProfileListResult)

    def profile_use(self, *, profile: str | None = None, seconds: float | None = None) -> ProfileStatus:
        """Chooses a profile, before the schedule; without one takes the choice of a request or a code back.

        :param profile: Its name.
        :param seconds: Seconds after which the choice ends by itself; it holds until another one when missing. From
            1 to 86400.
        """
        return self._call("profile.use", {"profile": profile, "seconds": seconds}, ProfileStatus)

    def scan_begin(
        self,
        *,
        mode: Literal["onboarding", "barcode"],
        symbologies: list[str] | None = None,
        region: list[float] | None = None,
        timeout: float | None = None,
        once: bool | None = None,
        context: Any = None,
        camera: str | None = None,
    ) -> ScanBeginResult:
        """Arms a scan.

        :param mode: The purpose.
        :param symbologies: The symbologies to read; the configured ones when missing.
        :param region: x, y, width, height as shares of the frame: a code counts when its centre lies inside.
        :param timeout: Seconds after which it ends without a read; never when missing. More than 0, at most 86400.
        :param once: Ends after the first code (barcode mode).
        :param context: Anything; comes back with every event of the scan.
        :param camera: The camera, by its name; the first one when missing.
        """
        return self._call("scan.begin", {
            "mode": mode,
            "symbologies": symbologies,
            "region": region,
            "timeout": timeout,
            "once": once,
            "context": context,
            "camera": camera,
        }, ScanBeginResult)

    def scan_cancel(self, *, scan: str | None = None, camera: str | None = None) -> None:
        """Ends a scan.

        :param scan: Which; the armed one when missing.
        :param camera: The camera, by its name; when missing that of the scan, and the first one without either.
        """
        self.call("scan.cancel", {"scan": scan, "camera": camera})

    def scan_confirm(self, *, scan: str | None = None, camera: str | None = None) -> None:
        """Confirms the verdict that is waiting.

        :param scan: Which; the armed one when missing.
        :param camera: The camera, by its name; when missing that of the scan, and the first one without either.
        """
        self.call("scan.confirm", {"scan": scan, "camera": camera})

    def gallery_list(self, *, limit: int | None = None, after: str | None = None) -> GalleryListResult:
        """Asks for pictures in the configured folders, newest first.

        :param limit: The most pictures to return; 50 when missing. From 1 to 500.
        :param after: Go on behind this picture.
        """
        return self._call("gallery.list", {"limit": limit, "after": after}, GalleryListResult)

    def gallery_scan(
        self,
        *,
        id: str,
        mode: Literal["onboarding", "barcode"] | None = None,
        context: Any = None,
        camera: str | None = None,
    ) -> GalleryScanResult:
        """Reads a picture of the gallery like a frame; the verdict also goes out as an event.

        :param id: The picture.
        :param mode: The purpose; onboarding when missing.
        :param context: Anything; comes back with the events.
        :param camera: The camera in whose scan an accepted code waits, by its name; the first one when missing.
        """
        return self._call("gallery.scan", {
            "id": id,
            "mode": mode,
            "context": context,
            "camera": camera,
        }, GalleryScanResult)

    def codes_follow(
        self,
        *,
        symbologies: list[str] | None = None,
        sizes: list[CodeSize] | None = None,
        camera: str | None = None,
    ) -> None:
        """Asks for codes to be read and followed: `code.found`, `codes.updated` and `code.lost` tell of them until
        `codes.unfollow` or until the client leaves. A second request of a client takes the place of its first.

        :param symbologies: The symbologies to read; all that are configured for scans when missing.
        :param sizes: How large codes are printed; the first that fits holds. From 0 to 64 entries.
        :param camera: The camera, by its name; the first one when missing.
        """
        self.call("codes.follow", {"symbologies": symbologies, "sizes": sizes, "camera": camera})

    def codes_unfollow(self, *, camera: str | None = None) -> None:
        """Ends what `codes.follow` of the same client began.

        :param camera: The camera, by its name; the first one when missing.
        """
        self.call("codes.unfollow", {"camera": camera})

    def count_begin(
        self,
        *,
        symbologies: list[str] | None = None,
        count: str | None = None,
        camera: str | None = None,
    ) -> CountState:
        """Begins to count the codes that the camera sees, each copy once, or takes part in the count that goes on: it
        lasts until everybody who takes part has ended it or left.

        :param symbologies: The symbologies to count; all that are configured for scans when missing. A count that
            goes on keeps its own.
        :param count: The count to go on with, for a client that lost its connection: it is kept for 30 seconds
            after the last one has left so.
        :param camera: The camera, by its name; the first one when missing.
        """
        return self._call("count.begin", {"symbologies": symbologies, "count": count, "camera": camera}, CountState)

    def count_reset(self, *, camera: str | None = None) -> CountState:
        """Forgets what was counted so far, for everybody who takes part.

        :param camera: The camera, by its name; the first one when missing.
        """
        return self._call("count.reset", {"camera": camera}, CountState)

    def count_end(self, *, camera: str | None = None) -> None:
        """Ends a client's part in the count; with the last one the count is over.

        :param camera: The camera, by its name; the first one when missing.
        """
        self.call("count.end", {"camera": camera})

    def torch(self, *, on: bool, camera: str | None = None) -> TorchResult:
        """Switches the camera's light.

        :param on: On or off.
        :param camera: The camera, by its name; the first one when missing.
        """
        return self._call("torch", {"on": on, "camera": camera}, TorchResult)

    def camera_list(self) -> CameraListResult:
        """Asks for the cameras."""
        return self._call("camera.list", {}, CameraListResult)

    def camera_select(self, *, id: str, camera: str | None = None) -> CameraSelectResult:
        """Uses another camera, until the service ends.

        :param id: Its identity or device.
        :param camera: The camera, by its name; the first one when missing.
        """
        return self._call("camera.select", {"id": id, "camera": camera}, CameraSelectResult)

    def camera_control(self, *, name: str, value: float, camera: str | None = None) -> CameraControlResult:
        """Sets a control of the camera.

        :param name: The control.
        :param value: The value.
        :param camera: The camera, by its name; the first one when missing.
        """
        return self._call("camera.control", {"name": name, "value": value, "camera": camera}, CameraControlResult)

    def document_begin(
        self,
        *,
        mode: Literal["automatic", "manual", "paused"] | None = None,
        filter: Literal["colour", "grayscale", "bw", "photo"] | None = None,
        camera: str | None = None,
    ) -> DocumentSession:
        """Begins to look for pages, or takes over the session that is there.

        :param mode: True if pages are captured by themselves; they are when missing.
        :param filter: The filter for new pages; `colour` when missing.
        :param camera: The camera that captures, by its name; the first one when missing.
        """
        return self._call("document.begin", {"mode": mode, "filter": filter, "camera": camera}, DocumentSession)

    def document_mode(self, *, mode: Literal["automatic", "manual", "paused"]) -> None:
        """Sets the capture mode: automatic, by the shutter only, or paused.

        :param mode: Which.
        """
        self.call("document.mode", {"mode": mode})

    def document_capture(self) -> None:
        """Presses the shutter: the next frame is captured, with or without a page in it."""
        self.call("document.capture", {})

    def document_pages(self) -> DocumentSession:
        """Returns the session and its pages."""
        return self._call("document.pages", {}, DocumentSession)

    def document_adjust(
        self,
        *,
        page: str,
        corners: list[list[float]] | None = None,
        snap: bool | None = None,
    ) -> DocumentPage:
        """Sets the corners of a page in its picture.

        :param page: Its id.
        :param corners: Four [x, y] in pixels of the picture, clockwise from the page's top left; the whole picture
            when missing.
        :param snap: True if the corners move to the page's edges where there are some near them.
        """
        return self._call("document.adjust", {"page": page, "corners": corners, "snap": snap}, DocumentPage)

    def document_filter(
        self,
        *,
        filter: Literal["colour", "grayscale", "bw", "photo"],
        page: str | None = None,
    ) -> DocumentSession:
        """Sets the filter of a page.

        :param filter: The filter.
        :param page: Its id; all pages, and those to come, when missing.
        """
        return self._call("document.filter", {"filter": filter, "page": page}, DocumentSession)

    def document_rotate(self, *, page: str, degrees: int) -> DocumentPage:
        """Turns a page.

        :param page: Its id.
        :param degrees: Clockwise: 90, 180 or 270.
        """
        return self._call("document.rotate", {"page": page, "degrees": degrees}, DocumentPage)

    def document_reorder(self, *, page: str, index: int) -> DocumentSession:
        """Puts a page elsewhere in the order.

        :param page: Its id.
        :param index: Its place afterwards, from 0.
        """
        return self._call("document.reorder", {"page": page, "index": index}, DocumentSession)

    def document_delete(self, *, page: str) -> DocumentSession:
        """Takes a page out; it can be brought back for a while.

        :param page: Its id.
        """
        return self._call("document.delete", {"page": page}, DocumentSession)

    def document_restore(self, *, page: str) -> DocumentSession:
        """Brings a page back that was taken out.

        :param page: Its id.
        """
        return self._call("document.restore", {"page": page}, DocumentSession)

    def document_retake(self, *, page: str | None = None) -> None:
        """Lets the next capture take a page's place.

        :param page: Its id; no page when missing: the next capture adds one.
        """
        self.call("document.retake", {"page": page})

    def document_save(
        self,
        *,
        format: Literal["pdf", "jpeg", "png"] | None = None,
        name: str | None = None,
    ) -> DocumentSaved:
        """Writes the pages into files; then the session is over.

        :param format: `pdf` when missing.
        :param name: The name of the file, without an ending; the time when missing.
        """
        return self._call("document.save", {"format": format, "name": name}, DocumentSaved)

    def document_discard(self) -> None:
        """Throws the pages away and ends the session."""
        self.call("document.discard", {})

    def document_end(self) -> None:
        """Ends looking for pages; they stay until they are saved, discarded or too old."""
        self.call("document.end", {})

    def text_begin(
        self,
        *,
        region: list[float] | None = None,
        patterns: list[str | TextPatternRequest] | None = None,
        languages: list[str] | None = None,
        timeout: float | None = None,
        camera: str | None = None,
    ) -> TextSession:
        """Begins to read text; in place of the session before, if that is the same client's.

        :param region: x, y, width, height as shares of the frame: where text is looked for; all of it when missing.
        :param patterns: The patterns to accept; when missing, every line is a candidate and none is taken by
            itself. From 0 to 16 entries.
        :param languages: The languages of the text, as Tesseract names its models; the configured ones when
            missing.
        :param timeout: Seconds after which it ends; never when missing. More than 0, at most 86400.
        :param camera: The camera, by its name; the first one when missing.
        """
        return self._call("text.begin", {
            "region": region,
            "patterns": patterns,
            "languages": languages,
            "timeout": timeout,
            "camera": camera,
        }, TextSession)

    def text_choose(self, *, text: str, session: str | None = None) -> TextAccepted:
        """Accepts one of the reported candidates.

        :param text: The text of a candidate, or one of its `others`.
        :param session: The session; the one that reads when missing.
        """
        return self._call("text.choose", {"text": text, "session": session}, TextAccepted)

    def text_cancel(self, *, session: str | None = None) -> None:
        """Ends reading text.

        :param session: The session; the one that reads when missing.
        """
        self.call("text.cancel", {"session": session})

    def scene_list(self) -> SceneListResult:
        """Asks for the scenes."""
        return self._call("scene.list", {}, SceneListResult)

    def scene_load(self, *, name: str, camera: str | None = None) -> SceneLoadResult:
        """Uses a scene; `scene.loaded` or `scene.failed` follows.

        :param name: Which.
        :param camera: The camera in which it is followed, by its name; that of the scene's file when missing, else
            the first one.
        """
        return self._call("scene.load", {"name": name, "camera": camera}, SceneLoadResult)

    def scene_unload(self) -> None:
        """Uses no scene."""
        self.call("scene.unload", {})

    def session_start(self, *, scene: str | None = None, camera: str | None = None) -> SessionResult:
        """Opens the AR session: coaching.

        :param scene: The scene; the one in use when missing.
        :param camera: The camera in which it is followed, by its name; when missing that of `scene.load`, and the
            same as before where the scene is in use.
        """
        return self._call("session.start", {"scene": scene, "camera": camera}, SessionResult)

    def session_scan(self) -> SessionResult:
        """Begin Scan, or Return to Scan."""
        return self._call("session.scan", {}, SessionResult)

    def session_coach(self) -> SessionResult:
        """Opens the coaching view again."""
        return self._call("session.coach", {}, SessionResult)

    def session_exit(self) -> SessionResult:
        """Leaves the session."""
        return self._call("session.exit", {}, SessionResult)

    def annotation_select(
        self,
        *,
        id: str | None = None,
        copy: int | None = None,
        point: list[float] | None = None,
    ) -> AnnotationResult:
        """Moves the focus to an annotation, by its id or by a point of the frame.

        :param id: The annotation.
        :param copy: The copy of its anchor that is meant, with `id`: one that is in sight.
        :param point: x, y in pixels of the frame: the nearest visible marker within reach.
        """
        return self._call("annotation.select", {"id": id, "copy": copy, "point": point}, AnnotationResult)

    def annotation_next(self) -> AnnotationResult:
        """Moves the focus on."""
        return self._call("annotation.next", {}, AnnotationResult)

    def annotation_previous(self) -> AnnotationResult:
        """Moves the focus back."""
        return self._call("annotation.previous", {}, AnnotationResult)

    def annotation_clear(self) -> AnnotationResult:
        """Takes the focus away."""
        return self._call("annotation.clear", {}, AnnotationResult)

    def card_open(self, *, id: str | None = None, copy: int | None = None) -> AnnotationResult:
        """Opens the detail panel of a card.

        :param id: The annotation; the selected one when missing.
        :param copy: The copy of its anchor that is meant; when missing the one at which it was selected.
        """
        return self._call("card.open", {"id": id, "copy": copy}, AnnotationResult)

    def card_close(self) -> AnnotationResult:
        """Closes the detail panel."""
        return self._call("card.close", {}, AnnotationResult)

    def card_action(self, *, id: str | None = None, copy: int | None = None) -> CardActionResult:
        """Presses the button of a card.

        :param id: The annotation; the selected one when missing.
        :param copy: The copy of its anchor that is meant; when missing the one at which it was selected.
        """
        return self._call("card.action", {"id": id, "copy": copy}, CardActionResult)

    def form_submit(
        self,
        *,
        form: str,
        fields: list[FormField],
        key: str | None = None,
        context: Any = None,
    ) -> FormSubmitResult:
        """Hands a form that a person has filled in to the programs on the socket.

        :param form: Which form it is: a word of the integrator's. From 1 to 128 bytes.
        :param fields: The fields that were filled in, in the order of the form. From 1 to 200 entries.
        :param key: The client's own name for this submission: sent once more under the same one it is not taken
            twice. From 1 to 128 bytes.
        :param context: Anything: comes back in `form.submitted`.
        """
        return self._call("form.submit", {
            "form": form,
            "fields": fields,
            "key": key,
            "context": context,
        }, FormSubmitResult)

    def form_pending(self, *, limit: int | None = None, after: str | None = None) -> FormPendingResult:
        """Lists pending forms, the oldest first.

        :param limit: The most forms to return; 20 when missing. Fewer come when they are large. From 1 to 100.
        :param after: Only those after this id.
        """
        return self._call("form.pending", {"limit": limit, "after": after}, FormPendingResult)

    def form_acknowledge(self, *, id: str) -> FormAcknowledgeResult:
        """Acknowledges a form: the service deletes it.

        :param id: Its id.
        """
        return self._call("form.acknowledge", {"id": id}, FormAcknowledgeResult)

    def signature_save(
        self,
        *,
        strokes: list[list[int]],
        width: int,
        height: int,
        purpose: str,
        signer: str | None = None,
        subject: str | None = None,
        key: str | None = None,
    ) -> SignatureSaveResult:
        """Stores a signature.

        :param strokes: Strokes: a flat list of whole numbers each, four a point: x and y in tenths of a pixel,
            milliseconds since the first point of the signature, pressure in thousandths or −1. The first point of a
            stroke is as it is; x, y and time of the others are differences from the point before.
        :param width: The area in which they were drawn, in pixels.
        :param height: The area in which they were drawn, in pixels.
        :param purpose: The purpose, as the person has read it.
        :param signer: The signer, where known.
        :param subject: The thing signed: a text, or the hash of a document; goes into the signature's hash.
        :param key: The client's own name for it: sent once more under the same one it is not kept twice. From 1 to
            128 bytes.
        """
        return self._call("signature.save", {
            "strokes": strokes,
            "width": width,
            "height": height,
            "purpose": purpose,
            "signer": signer,
            "subject": subject,
            "key": key,
        }, SignatureSaveResult)

    def signature_list(self, *, limit: int | None = None, after: str | None = None) -> SignatureListResult:
        """Lists the signatures that are kept, the oldest first.

        :param limit: The most signatures to return; 20 when missing. From 1 to 100.
        :param after: Only those after this id.
        """
        return self._call("signature.list", {"limit": limit, "after": after}, SignatureListResult)

    def signature_remove(self, *, id: str) -> SignatureRemoveResult:
        """Forgets a signature.

        :param id: Its id.
        """
        return self._call("signature.remove", {"id": id}, SignatureRemoveResult)

    def account_state(self) -> AccountState:
        """Asks where the device and its users are."""
        return self._call("account.state", {}, AccountState)

    def account_policy(self) -> AccountPolicyResult:
        """Asks for the texts and rules of the screens."""
        return self._call("account.policy", {}, AccountPolicyResult)

    def account_next(self, *, agreed: bool | None = None) -> AccountState:
        """Continues with the next step.

        :param agreed: True if the terms of the first screen were agreed to.
        """
        return self._call("account.next", {"agreed": agreed}, AccountState)

    def account_back(self) -> AccountState:
        """Goes back by one screen. Of a user who is signed in and synchronizes once more it stops that; they stay in."""
        return self._call("account.back", {}, AccountState)

    def account_leave(self) -> AccountState:
        """Leaves what is unfinished, or signs out."""
        return self._call("account.leave", {}, AccountState)

    def account_demo(self) -> AccountState:
        """Tries the device out without an account."""
        return self._call("account.demo", {}, AccountState)

    def account_choose(self, *, method: str) -> AccountState:
        """Chooses a way of activation.

        :param method: `scan`, `code`, `email` or `preset`.
        """
        return self._call("account.choose", {"method": method}, AccountState)

    def account_activate(self, *, code: str) -> AccountState:
        """Hands in the link, the code or the e-mail address that activates.

        :param code: The code that was typed or scanned.
        """
        return self._call("account.activate", {"code": code}, AccountState)

    def account_users(self) -> AccountUsersResult:
        """Asks who can sign in, as far as the policy shows them."""
        return self._call("account.users", {}, AccountUsersResult)

    def account_switch(self) -> AccountState:
        """Opens the list of users."""
        return self._call("account.switch", {}, AccountState)

    def account_select(self, *, user: str) -> AccountState:
        """Chooses who is to sign in.

        :param user: Their id.
        """
        return self._call("account.select", {"user": user}, AccountState)

    def account_add(self) -> AccountState:
        """Begins the onboarding of one more user."""
        return self._call("account.add", {}, AccountState)

    def account_list(self) -> AccountListResult:
        """Asks for all that is known of the users: for administration."""
        return self._call("account.list", {}, AccountListResult)

    def account_remove(self, *, user: str) -> None:
        """Removes a user with all that is kept of them.

        :param user: Their id.
        """
        self.call("account.remove", {"user": user})

    def account_unlock(self, *, user: str | None = None) -> None:
        """Lets a user, or all, try passcodes again at once.

        :param user: Their id; everybody when missing.
        """
        self.call("account.unlock", {"user": user})

    def authentication_submit(self, *, fields: Any) -> AccountState:
        """Hands in the credentials that were asked for.

        :param fields: An object: what was filled in, by the names of the policy's fields.
        """
        return self._call("authentication.submit", {"fields": fields}, AccountState)

    def authentication_set_passcode(self, *, passcode: str) -> AccountState:
        """Hands in a new passcode: once, and once more.

        :param passcode: The passcode.
        """
        return self._call("authentication.setPasscode", {"passcode": passcode}, AccountState)

    def authentication_sign_in(self, *, passcode: str) -> AccountState:
        """Hands in the passcode of whose turn it is.

        :param passcode: The passcode.
        """
        return self._call("authentication.signIn", {"passcode": passcode}, AccountState)

    def authentication_forgot(self) -> AccountState:
        """Begins to set a forgotten passcode again."""
        return self._call("authentication.forgot", {}, AccountState)

    def authentication_provide(self, *, name: str | None = None) -> None:
        """Makes this connection the one that verifies, looks up and synchronizes.

        :param name: Its name, for the log.
        """
        self.call("authentication.provide", {"name": name})

    def authentication_answer(
        self,
        *,
        request: int,
        outcome: str,
        subject: str | None = None,
        title: str | None = None,
        subtitle: str | None = None,
        host: str | None = None,
        text: str | None = None,
    ) -> None:
        """Answers a request of the service.

        :param request: Its number.
        :param outcome: `accepted`, `refused`, `offline` or `conflict`.
        :param subject: The person's name in the integrator's system; with `conflict`, the person who has to act
            first.
        :param title: Their name.
        :param subtitle: The line below it.
        :param host: Where their data is.
        :param text: Words for the person, where it is not `accepted`.
        """
        self.call("authentication.answer", {
            "request": request,
            "outcome": outcome,
            "subject": subject,
            "title": title,
            "subtitle": subtitle,
            "host": host,
            "text": text,
        })

    def consent_choose(self, *, consent: str, choice: str, language: str | None = None) -> AccountState:
        """Records a choice: about the consent that is asked for, or of a user who is signed in about any.

        :param consent: The consent's id.
        :param choice: `allow`; else `deny` for what is needed and `later` for what is not. Once signed in, `deny`
            withdraws either; without what is needed they are signed out.
        :param language: The language it was shown in.
        """
        return self._call("consent.choose", {
            "consent": consent,
            "choice": choice,
            "language": language,
        }, AccountState)

    def consent_export(self, *, user: str | None = None) -> ConsentExportResult:
        """Asks for choices that were recorded: for administration.

        :param user: The user; everybody when missing.
        """
        return self._call("consent.export", {"user": user}, ConsentExportResult)

    def sync_retry(self) -> AccountState:
        """Synchronizes once more, after an error or for a user who is signed in."""
        return self._call("sync.retry", {}, AccountState)

    def sync_progress(self, *, request: int, progress: float) -> None:
        """Reports the progress of synchronization.

        :param request: The number of the request.
        :param progress: The share that is done. From 0 to 1.
        """
        self.call("sync.progress", {"request": request, "progress": progress})


class AsyncMethods:
    """Every method of the protocol as a coroutine. Parameters that are None are not sent."""

    async def call(self, method: str, params: dict[str, Any] | None = None) -> Any:
        """Sends a request and returns its result as plain JSON values."""
        raise NotImplementedError

    async def _call(self, method: str, params: dict[str, Any], result: type[Result]) -> Result:
        raise NotImplementedError

    async def ping(self) -> PingResult:
        """Asks whether the service answers."""
        return await self._call("ping", {}, PingResult)

    async def status(self) -> StatusResult:
        """Asks how the service is."""
        return await self._call("status", {}, StatusResult)

    async def unsubscribe(self, *, events: list[str] | None = None) -> UnsubscribeResult:
        """Asks for events no more.

        :param events: Patterns that were subscribed; all when missing.
        """
        return await self._call("unsubscribe", {"events": events}, UnsubscribeResult)

    async def role_lower(self, *, role: Literal["operator", "observer"]) -> RoleLowerResult:
        """Gives up rights for the rest of this connection, before it is used for somebody who has fewer.

        :param role: The role from now on: the own one, or one below it.
        """
        return await self._call("role.lower", {"role": role}, RoleLowerResult)

    async def config_reload(self) -> ConfigReloadResult:
        """Reloads the configuration, as SIGHUP does."""
        return await self._call("config.reload", {}, ConfigReloadResult)

    async def profile_list(self) -> ProfileListResult:
        """Asks which profiles there are and which one is in use."""
        return await self._call("profile.list", {}, ProfileListResult)

    async def profile_use(self, *, profile: str | None = None, seconds: float | None = None) -> ProfileStatus:
        """Chooses a profile, before the schedule; without one takes the choice of a request or a code back.

        :param profile: Its name.
        :param seconds: Seconds after which the choice ends by itself; it holds until another one when missing. From
            1 to 86400.
        """
        return await self._call("profile.use", {"profile": profile, "seconds": seconds}, ProfileStatus)

    async def scan_begin(
        self,
        *,
        mode: Literal["onboarding", "barcode"],
        symbologies: list[str] | None = None,
        region: list[float] | None = None,
        timeout: float | None = None,
        once: bool | None = None,
        context: Any = None,
        camera: str | None = None,
    ) -> ScanBeginResult:
        """Arms a scan.

        :param mode: The purpose.
        :param symbologies: The symbologies to read; the configured ones when missing.
        :param region: x, y, width, height as shares of the frame: a code counts when its centre lies inside.
        :param timeout: Seconds after which it ends without a read; never when missing. More than 0, at most 86400.
        :param once: Ends after the first code (barcode mode).
        :param context: Anything; comes back with every event of the scan.
        :param camera: The camera, by its name; the first one when missing.
        """
        return await self._call("scan.begin", {
            "mode": mode,
            "symbologies": symbologies,
            "region": region,
            "timeout": timeout,
            "once": once,
            "context": context,
            "camera": camera,
        }, ScanBeginResult)

    async def scan_cancel(self, *, scan: str | None = None, camera: str | None = None) -> None:
        """Ends a scan.

        :param scan: Which; the armed one when missing.
        :param camera: The camera, by its name; when missing that of the scan, and the first one without either.
        """
        await self.call("scan.cancel", {"scan": scan, "camera": camera})

    async def scan_confirm(self, *, scan: str | None = None, camera: str | None = None) -> None:
        """Confirms the verdict that is waiting.

        :param scan: Which; the armed one when missing.
        :param camera: The camera, by its name; when missing that of the scan, and the first one without either.
        """
        await self.call("scan.confirm", {"scan": scan, "camera": camera})

    async def gallery_list(self, *, limit: int | None = None, after: str | None = None) -> GalleryListResult:
        """Asks for pictures in the configured folders, newest first.

        :param limit: The most pictures to return; 50 when missing. From 1 to 500.
        :param after: Go on behind this picture.
        """
        return await self._call("gallery.list", {"limit": limit, "after": after}, GalleryListResult)

    async def gallery_scan(
        self,
        *,
        id: str,
        mode: Literal["onboarding", "barcode"] | None = None,
        context: Any = None,
        camera: str | None = None,
    ) -> GalleryScanResult:
        """Reads a picture of the gallery like a frame; the verdict also goes out as an event.

        :param id: The picture.
        :param mode: The purpose; onboarding when missing.
        :param context: Anything; comes back with the events.
        :param camera: The camera in whose scan an accepted code waits, by its name; the first one when missing.
        """
        return await self._call("gallery.scan", {
            "id": id,
            "mode": mode,
            "context": context,
            "camera": camera,
        }, GalleryScanResult)

    async def codes_follow(
        self,
        *,
        symbologies: list[str] | None = None,
        sizes: list[CodeSize] | None = None,
        camera: str | None = None,
    ) -> None:
        """Asks for codes to be read and followed: `code.found`, `codes.updated` and `code.lost` tell of them until
        `codes.unfollow` or until the client leaves. A second request of a client takes the place of its first.

        :param symbologies: The symbologies to read; all that are configured for scans when missing.
        :param sizes: How large codes are printed; the first that fits holds. From 0 to 64 entries.
        :param camera: The camera, by its name; the first one when missing.
        """
        await self.call("codes.follow", {"symbologies": symbologies, "sizes": sizes, "camera": camera})

    async def codes_unfollow(self, *, camera: str | None = None) -> None:
        """Ends what `codes.follow` of the same client began.

        :param camera: The camera, by its name; the first one when missing.
        """
        await self.call("codes.unfollow", {"camera": camera})

    async def count_begin(
        self,
        *,
        symbologies: list[str] | None = None,
        count: str | None = None,
        camera: str | None = None,
    ) -> CountState:
        """Begins to count the codes that the camera sees, each copy once, or takes part in the count that goes on: it
        lasts until everybody who takes part has ended it or left.

        :param symbologies: The symbologies to count; all that are configured for scans when missing. A count that
            goes on keeps its own.
        :param count: The count to go on with, for a client that lost its connection: it is kept for 30 seconds
            after the last one has left so.
        :param camera: The camera, by its name; the first one when missing.
        """
        return await self._call("count.begin", {
            "symbologies": symbologies,
            "count": count,
            "camera": camera,
        }, CountState)

    async def count_reset(self, *, camera: str | None = None) -> CountState:
        """Forgets what was counted so far, for everybody who takes part.

        :param camera: The camera, by its name; the first one when missing.
        """
        return await self._call("count.reset", {"camera": camera}, CountState)

    async def count_end(self, *, camera: str | None = None) -> None:
        """Ends a client's part in the count; with the last one the count is over.

        :param camera: The camera, by its name; the first one when missing.
        """
        await self.call("count.end", {"camera": camera})

    async def torch(self, *, on: bool, camera: str | None = None) -> TorchResult:
        """Switches the camera's light.

        :param on: On or off.
        :param camera: The camera, by its name; the first one when missing.
        """
        return await self._call("torch", {"on": on, "camera": camera}, TorchResult)

    async def camera_list(self) -> CameraListResult:
        """Asks for the cameras."""
        return await self._call("camera.list", {}, CameraListResult)

    async def camera_select(self, *, id: str, camera: str | None = None) -> CameraSelectResult:
        """Uses another camera, until the service ends.

        :param id: Its identity or device.
        :param camera: The camera, by its name; the first one when missing.
        """
        return await self._call("camera.select", {"id": id, "camera": camera}, CameraSelectResult)

    async def camera_control(self, *, name: str, value: float, camera: str | None = None) -> CameraControlResult:
        """Sets a control of the camera.

        :param name: The control.
        :param value: The value.
        :param camera: The camera, by its name; the first one when missing.
        """
        return await self._call("camera.control", {
            "name": name,
            "value": value,
            "camera": camera,
        }, CameraControlResult)

    async def document_begin(
        self,
        *,
        mode: Literal["automatic", "manual", "paused"] | None = None,
        filter: Literal["colour", "grayscale", "bw", "photo"] | None = None,
        camera: str | None = None,
    ) -> DocumentSession:
        """Begins to look for pages, or takes over the session that is there.

        :param mode: True if pages are captured by themselves; they are when missing.
        :param filter: The filter for new pages; `colour` when missing.
        :param camera: The camera that captures, by its name; the first one when missing.
        """
        return await self._call("document.begin", {"mode": mode, "filter": filter, "camera": camera}, DocumentSession)

    async def document_mode(self, *, mode: Literal["automatic", "manual", "paused"]) -> None:
        """Sets the capture mode: automatic, by the shutter only, or paused.

        :param mode: Which.
        """
        await self.call("document.mode", {"mode": mode})

    async def document_capture(self) -> None:
        """Presses the shutter: the next frame is captured, with or without a page in it."""
        await self.call("document.capture", {})

    async def document_pages(self) -> DocumentSession:
        """Returns the session and its pages."""
        return await self._call("document.pages", {}, DocumentSession)

    async def document_adjust(
        self,
        *,
        page: str,
        corners: list[list[float]] | None = None,
        snap: bool | None = None,
    ) -> DocumentPage:
        """Sets the corners of a page in its picture.

        :param page: Its id.
        :param corners: Four [x, y] in pixels of the picture, clockwise from the page's top left; the whole picture
            when missing.
        :param snap: True if the corners move to the page's edges where there are some near them.
        """
        return await self._call("document.adjust", {"page": page, "corners": corners, "snap": snap}, DocumentPage)

    async def document_filter(
        self,
        *,
        filter: Literal["colour", "grayscale", "bw", "photo"],
        page: str | None = None,
    ) -> DocumentSession:
        """Sets the filter of a page.

        :param filter: The filter.
        :param page: Its id; all pages, and those to come, when missing.
        """
        return await self._call("document.filter", {"filter": filter, "page": page}, DocumentSession)

    async def document_rotate(self, *, page: str, degrees: int) -> DocumentPage:
        """Turns a page.

        :param page: Its id.
        :param degrees: Clockwise: 90, 180 or 270.
        """
        return await self._call("document.rotate", {"page": page, "degrees": degrees}, DocumentPage)

    async def document_reorder(self, *, page: str, index: int) -> DocumentSession:
        """Puts a page elsewhere in the order.

        :param page: Its id.
        :param index: Its place afterwards, from 0.
        """
        return await self._call("document.reorder", {"page": page, "index": index}, DocumentSession)

    async def document_delete(self, *, page: str) -> DocumentSession:
        """Takes a page out; it can be brought back for a while.

        :param page: Its id.
        """
        return await self._call("document.delete", {"page": page}, DocumentSession)

    async def document_restore(self, *, page: str) -> DocumentSession:
        """Brings a page back that was taken out.

        :param page: Its id.
        """
        return await self._call("document.restore", {"page": page}, DocumentSession)

    async def document_retake(self, *, page: str | None = None) -> None:
        """Lets the next capture take a page's place.

        :param page: Its id; no page when missing: the next capture adds one.
        """
        await self.call("document.retake", {"page": page})

    async def document_save(
        self,
        *,
        format: Literal["pdf", "jpeg", "png"] | None = None,
        name: str | None = None,
    ) -> DocumentSaved:
        """Writes the pages into files; then the session is over.

        :param format: `pdf` when missing.
        :param name: The name of the file, without an ending; the time when missing.
        """
        return await self._call("document.save", {"format": format, "name": name}, DocumentSaved)

    async def document_discard(self) -> None:
        """Throws the pages away and ends the session."""
        await self.call("document.discard", {})

    async def document_end(self) -> None:
        """Ends looking for pages; they stay until they are saved, discarded or too old."""
        await self.call("document.end", {})

    async def text_begin(
        self,
        *,
        region: list[float] | None = None,
        patterns: list[str | TextPatternRequest] | None = None,
        languages: list[str] | None = None,
        timeout: float | None = None,
        camera: str | None = None,
    ) -> TextSession:
        """Begins to read text; in place of the session before, if that is the same client's.

        :param region: x, y, width, height as shares of the frame: where text is looked for; all of it when missing.
        :param patterns: The patterns to accept; when missing, every line is a candidate and none is taken by
            itself. From 0 to 16 entries.
        :param languages: The languages of the text, as Tesseract names its models; the configured ones when
            missing.
        :param timeout: Seconds after which it ends; never when missing. More than 0, at most 86400.
        :param camera: The camera, by its name; the first one when missing.
        """
        return await self._call("text.begin", {
            "region": region,
            "patterns": patterns,
            "languages": languages,
            "timeout": timeout,
            "camera": camera,
        }, TextSession)

    async def text_choose(self, *, text: str, session: str | None = None) -> TextAccepted:
        """Accepts one of the reported candidates.

        :param text: The text of a candidate, or one of its `others`.
        :param session: The session; the one that reads when missing.
        """
        return await self._call("text.choose", {"text": text, "session": session}, TextAccepted)

    async def text_cancel(self, *, session: str | None = None) -> None:
        """Ends reading text.

        :param session: The session; the one that reads when missing.
        """
        await self.call("text.cancel", {"session": session})

    async def scene_list(self) -> SceneListResult:
        """Asks for the scenes."""
        return await self._call("scene.list", {}, SceneListResult)

    async def scene_load(self, *, name: str, camera: str | None = None) -> SceneLoadResult:
        """Uses a scene; `scene.loaded` or `scene.failed` follows.

        :param name: Which.
        :param camera: The camera in which it is followed, by its name; that of the scene's file when missing, else
            the first one.
        """
        return await self._call("scene.load", {"name": name, "camera": camera}, SceneLoadResult)

    async def scene_unload(self) -> None:
        """Uses no scene."""
        await self.call("scene.unload", {})

    async def session_start(self, *, scene: str | None = None, camera: str | None = None) -> SessionResult:
        """Opens the AR session: coaching.

        :param scene: The scene; the one in use when missing.
        :param camera: The camera in which it is followed, by its name; when missing that of `scene.load`, and the
            same as before where the scene is in use.
        """
        return await self._call("session.start", {"scene": scene, "camera": camera}, SessionResult)

    async def session_scan(self) -> SessionResult:
        """Begin Scan, or Return to Scan."""
        return await self._call("session.scan", {}, SessionResult)

    async def session_coach(self) -> SessionResult:
        """Opens the coaching view again."""
        return await self._call("session.coach", {}, SessionResult)

    async def session_exit(self) -> SessionResult:
        """Leaves the session."""
        return await self._call("session.exit", {}, SessionResult)

    async def annotation_select(
        self,
        *,
        id: str | None = None,
        copy: int | None = None,
        point: list[float] | None = None,
    ) -> AnnotationResult:
        """Moves the focus to an annotation, by its id or by a point of the frame.

        :param id: The annotation.
        :param copy: The copy of its anchor that is meant, with `id`: one that is in sight.
        :param point: x, y in pixels of the frame: the nearest visible marker within reach.
        """
        return await self._call("annotation.select", {"id": id, "copy": copy, "point": point}, AnnotationResult)

    async def annotation_next(self) -> AnnotationResult:
        """Moves the focus on."""
        return await self._call("annotation.next", {}, AnnotationResult)

    async def annotation_previous(self) -> AnnotationResult:
        """Moves the focus back."""
        return await self._call("annotation.previous", {}, AnnotationResult)

    async def annotation_clear(self) -> AnnotationResult:
        """Takes the focus away."""
        return await self._call("annotation.clear", {}, AnnotationResult)

    async def card_open(self, *, id: str | None = None, copy: int | None = None) -> AnnotationResult:
        """Opens the detail panel of a card.

        :param id: The annotation; the selected one when missing.
        :param copy: The copy of its anchor that is meant; when missing the one at which it was selected.
        """
        return await self._call("card.open", {"id": id, "copy": copy}, AnnotationResult)

    async def card_close(self) -> AnnotationResult:
        """Closes the detail panel."""
        return await self._call("card.close", {}, AnnotationResult)

    async def card_action(self, *, id: str | None = None, copy: int | None = None) -> CardActionResult:
        """Presses the button of a card.

        :param id: The annotation; the selected one when missing.
        :param copy: The copy of its anchor that is meant; when missing the one at which it was selected.
        """
        return await self._call("card.action", {"id": id, "copy": copy}, CardActionResult)

    async def form_submit(
        self,
        *,
        form: str,
        fields: list[FormField],
        key: str | None = None,
        context: Any = None,
    ) -> FormSubmitResult:
        """Hands a form that a person has filled in to the programs on the socket.

        :param form: Which form it is: a word of the integrator's. From 1 to 128 bytes.
        :param fields: The fields that were filled in, in the order of the form. From 1 to 200 entries.
        :param key: The client's own name for this submission: sent once more under the same one it is not taken
            twice. From 1 to 128 bytes.
        :param context: Anything: comes back in `form.submitted`.
        """
        return await self._call("form.submit", {
            "form": form,
            "fields": fields,
            "key": key,
            "context": context,
        }, FormSubmitResult)

    async def form_pending(self, *, limit: int | None = None, after: str | None = None) -> FormPendingResult:
        """Lists pending forms, the oldest first.

        :param limit: The most forms to return; 20 when missing. Fewer come when they are large. From 1 to 100.
        :param after: Only those after this id.
        """
        return await self._call("form.pending", {"limit": limit, "after": after}, FormPendingResult)

    async def form_acknowledge(self, *, id: str) -> FormAcknowledgeResult:
        """Acknowledges a form: the service deletes it.

        :param id: Its id.
        """
        return await self._call("form.acknowledge", {"id": id}, FormAcknowledgeResult)

    async def signature_save(
        self,
        *,
        strokes: list[list[int]],
        width: int,
        height: int,
        purpose: str,
        signer: str | None = None,
        subject: str | None = None,
        key: str | None = None,
    ) -> SignatureSaveResult:
        """Stores a signature.

        :param strokes: Strokes: a flat list of whole numbers each, four a point: x and y in tenths of a pixel,
            milliseconds since the first point of the signature, pressure in thousandths or −1. The first point of a
            stroke is as it is; x, y and time of the others are differences from the point before.
        :param width: The area in which they were drawn, in pixels.
        :param height: The area in which they were drawn, in pixels.
        :param purpose: The purpose, as the person has read it.
        :param signer: The signer, where known.
        :param subject: The thing signed: a text, or the hash of a document; goes into the signature's hash.
        :param key: The client's own name for it: sent once more under the same one it is not kept twice. From 1 to
            128 bytes.
        """
        return await self._call("signature.save", {
            "strokes": strokes,
            "width": width,
            "height": height,
            "purpose": purpose,
            "signer": signer,
            "subject": subject,
            "key": key,
        }, SignatureSaveResult)

    async def signature_list(self, *, limit: int | None = None, after: str | None = None) -> SignatureListResult:
        """Lists the signatures that are kept, the oldest first.

        :param limit: The most signatures to return; 20 when missing. From 1 to 100.
        :param after: Only those after this id.
        """
        return await self._call("signature.list", {"limit": limit, "after": after}, SignatureListResult)

    async def signature_remove(self, *, id: str) -> SignatureRemoveResult:
        """Forgets a signature.

        :param id: Its id.
        """
        return await self._call("signature.remove", {"id": id}, SignatureRemoveResult)

    async def account_state(self) -> AccountState:
        """Asks where the device and its users are."""
        return await self._call("account.state", {}, AccountState)

    async def account_policy(self) -> AccountPolicyResult:
        """Asks for the texts and rules of the screens."""
        return await self._call("account.policy", {}, AccountPolicyResult)

    async def account_next(self, *, agreed: bool | None = None) -> AccountState:
        """Continues with the next step.

        :param agreed: True if the terms of the first screen were agreed to.
        """
        return await self._call("account.next", {"agreed": agreed}, AccountState)

    async def account_back(self) -> AccountState:
        """Goes back by one screen. Of a user who is signed in and synchronizes once more it stops that; they stay in."""
        return await self._call("account.back", {}, AccountState)

    async def account_leave(self) -> AccountState:
        """Leaves what is unfinished, or signs out."""
        return await self._call("account.leave", {}, AccountState)

    async def account_demo(self) -> AccountState:
        """Tries the device out without an account."""
        return await self._call("account.demo", {}, AccountState)

    async def account_choose(self, *, method: str) -> AccountState:
        """Chooses a way of activation.

        :param method: `scan`, `code`, `email` or `preset`.
        """
        return await self._call("account.choose", {"method": method}, AccountState)

    async def account_activate(self, *, code: str) -> AccountState:
        """Hands in the link, the code or the e-mail address that activates.

        :param code: The code that was typed or scanned.
        """
        return await self._call("account.activate", {"code": code}, AccountState)

    async def account_users(self) -> AccountUsersResult:
        """Asks who can sign in, as far as the policy shows them."""
        return await self._call("account.users", {}, AccountUsersResult)

    async def account_switch(self) -> AccountState:
        """Opens the list of users."""
        return await self._call("account.switch", {}, AccountState)

    async def account_select(self, *, user: str) -> AccountState:
        """Chooses who is to sign in.

        :param user: Their id.
        """
        return await self._call("account.select", {"user": user}, AccountState)

    async def account_add(self) -> AccountState:
        """Begins the onboarding of one more user."""
        return await self._call("account.add", {}, AccountState)

    async def account_list(self) -> AccountListResult:
        """Asks for all that is known of the users: for administration."""
        return await self._call("account.list", {}, AccountListResult)

    async def account_remove(self, *, user: str) -> None:
        """Removes a user with all that is kept of them.

        :param user: Their id.
        """
        await self.call("account.remove", {"user": user})

    async def account_unlock(self, *, user: str | None = None) -> None:
        """Lets a user, or all, try passcodes again at once.

        :param user: Their id; everybody when missing.
        """
        await self.call("account.unlock", {"user": user})

    async def authentication_submit(self, *, fields: Any) -> AccountState:
        """Hands in the credentials that were asked for.

        :param fields: An object: what was filled in, by the names of the policy's fields.
        """
        return await self._call("authentication.submit", {"fields": fields}, AccountState)

    async def authentication_set_passcode(self, *, passcode: str) -> AccountState:
        """Hands in a new passcode: once, and once more.

        :param passcode: The passcode.
        """
        return await self._call("authentication.setPasscode", {"passcode": passcode}, AccountState)

    async def authentication_sign_in(self, *, passcode: str) -> AccountState:
        """Hands in the passcode of whose turn it is.

        :param passcode: The passcode.
        """
        return await self._call("authentication.signIn", {"passcode": passcode}, AccountState)

    async def authentication_forgot(self) -> AccountState:
        """Begins to set a forgotten passcode again."""
        return await self._call("authentication.forgot", {}, AccountState)

    async def authentication_provide(self, *, name: str | None = None) -> None:
        """Makes this connection the one that verifies, looks up and synchronizes.

        :param name: Its name, for the log.
        """
        await self.call("authentication.provide", {"name": name})

    async def authentication_answer(
        self,
        *,
        request: int,
        outcome: str,
        subject: str | None = None,
        title: str | None = None,
        subtitle: str | None = None,
        host: str | None = None,
        text: str | None = None,
    ) -> None:
        """Answers a request of the service.

        :param request: Its number.
        :param outcome: `accepted`, `refused`, `offline` or `conflict`.
        :param subject: The person's name in the integrator's system; with `conflict`, the person who has to act
            first.
        :param title: Their name.
        :param subtitle: The line below it.
        :param host: Where their data is.
        :param text: Words for the person, where it is not `accepted`.
        """
        await self.call("authentication.answer", {
            "request": request,
            "outcome": outcome,
            "subject": subject,
            "title": title,
            "subtitle": subtitle,
            "host": host,
            "text": text,
        })

    async def consent_choose(self, *, consent: str, choice: str, language: str | None = None) -> AccountState:
        """Records a choice: about the consent that is asked for, or of a user who is signed in about any.

        :param consent: The consent's id.
        :param choice: `allow`; else `deny` for what is needed and `later` for what is not. Once signed in, `deny`
            withdraws either; without what is needed they are signed out.
        :param language: The language it was shown in.
        """
        return await self._call("consent.choose", {
            "consent": consent,
            "choice": choice,
            "language": language,
        }, AccountState)

    async def consent_export(self, *, user: str | None = None) -> ConsentExportResult:
        """Asks for choices that were recorded: for administration.

        :param user: The user; everybody when missing.
        """
        return await self._call("consent.export", {"user": user}, ConsentExportResult)

    async def sync_retry(self) -> AccountState:
        """Synchronizes once more, after an error or for a user who is signed in."""
        return await self._call("sync.retry", {}, AccountState)

    async def sync_progress(self, *, request: int, progress: float) -> None:
        """Reports the progress of synchronization.

        :param request: The number of the request.
        :param progress: The share that is done. From 0 to 1.
        """
        await self.call("sync.progress", {"request": request, "progress": progress})
