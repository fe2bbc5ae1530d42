package dumps;

import android.app.AlertDialog;
import android.app.DatePickerDialog;
import android.app.ProgressDialog;
import android.app.TimePickerDialog;
import android.content.DialogInterface;
import android.text.InputType;
import android.view.LayoutInflater;
import android.view.View;
import android.widget.EditText;
import android.widget.FrameLayout;
import org.junit.Test;
import org.robolectric.annotation.Config;

/** Dialogs of apps and of the system. */
public class DialogScreens extends Screens {
  private static final DialogInterface.OnClickListener NOTHING = (dialog, which) -> {};

  private AlertDialog.Builder alert() {
    open();
    return new AlertDialog.Builder(activity);
  }

  @Test
  public void dialogWithTwoButtons() throws Exception {
    alert()
        .setTitle("Delete “Holiday plans”?")
        .setMessage("The note and its 3 pictures are deleted from all your devices. This cannot be undone.")
        .setPositiveButton("Delete", NOTHING)
        .setNegativeButton(android.R.string.cancel, NOTHING)
        .show();
    save();
  }

  @Test
  @Config(sdk = 30)
  public void compressedDialog() throws Exception {
    compressed = true;
    dialogWithOwnView();
  }

  @Test
  @Config(sdk = 26)
  public void dialogWithThreeLongButtons() throws Exception {
    alert()
        .setTitle("Allow Messages to access your contacts?")
        .setMessage("It can read names, numbers & addresses.")
        .setPositiveButton("Allow while using the app", NOTHING)
        .setNeutralButton("Allow only this time", NOTHING)
        .setNegativeButton("Don't allow", NOTHING)
        .show();
    save("com.android.packageinstaller");
  }

  @Test
  @Config(sdk = 33)
  public void dialogWithList() throws Exception {
    alert().setTitle("Share with").setItems(new String[] {"Mail", "Messages", "Copy link", "Print"}, NOTHING).show();
    save();
  }

  @Test
  @Config(sdk = 28)
  public void dialogSingleChoice() throws Exception {
    alert()
        .setTitle("Ringtone")
        .setSingleChoiceItems(new String[] {"None", "Argon", "Carbon", "Helium", "Krypton"}, 2, NOTHING)
        .setPositiveButton(android.R.string.ok, NOTHING)
        .setNegativeButton(android.R.string.cancel, NOTHING)
        .show();
    save();
  }

  @Test
  @Config(sdk = 35)
  public void dialogMultiChoice() throws Exception {
    alert()
        .setTitle("Repeat")
        .setMultiChoiceItems(
            new String[] {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"},
            new boolean[] {true, false, true, false, false, true, false},
            (dialog, which, checked) -> {})
        .setPositiveButton("Done", NOTHING)
        .show();
    save();
  }

  @Test
  public void dialogWithOwnView() throws Exception {
    AlertDialog.Builder builder = alert();
    EditText name = make.named(make.field("Network name", "Home"), "ssid");
    EditText password = make.named(make.field("Password", "hunter2"), "password");
    password.setInputType(InputType.TYPE_CLASS_TEXT | InputType.TYPE_TEXT_VARIATION_PASSWORD);
    android.widget.CheckBox showPassword = new android.widget.CheckBox(activity);
    showPassword.setText("Show password");
    builder
        .setTitle("Add network")
        .setView(make.padded(make.column(name, password, showPassword), 20))
        .setPositiveButton("Save", NOTHING)
        .setNegativeButton("Cancel", NOTHING)
        .show();
    save();
  }

  @Test
  @Config(qualifiers = Screens.LANDSCAPE)
  public void dialogLongTextInLandscape() throws Exception {
    StringBuilder terms = new StringBuilder();
    for (int i = 1; i <= 30; i++) terms.append(i).append(". A clause of the terms that nobody reads to its end.\n");
    alert()
        .setTitle("Terms of service")
        .setMessage(terms)
        .setPositiveButton("Accept", NOTHING)
        .setNegativeButton("Decline", NOTHING)
        .show();
    save();
  }

  /** What the system shows in a dialog of its own: its layout in the place of the dialog's custom view. */
  private void systemDialog(String title, String layout, String... buttons) {
    AlertDialog dialog = alert().setTitle(title).create();
    dialog.setCancelable(false);
    dialog.show();
    FrameLayout custom = dialog.findViewById(android.R.id.custom);
    LayoutInflater.from(dialog.getContext()).inflate(make.framework("layout", layout), custom, true);
    dialog.findViewById(make.framework("id", "customPanel")).setVisibility(View.VISIBLE);
    for (String id : buttons) {
      View button = dialog.findViewById(make.framework("id", id));
      button.setVisibility(View.VISIBLE);
      button.setOnClickListener(pressed -> {});
    }
    settle();
  }

  @Test
  @Config(sdk = 30)
  public void systemAppStopped() throws Exception {
    systemDialog("Maps keeps stopping", "app_error_dialog", "aerr_app_info", "aerr_close");
    save("android");
  }

  @Test
  @Config(sdk = 26)
  public void systemAppNotResponding() throws Exception {
    systemDialog("Camera isn't responding", "app_anr_dialog", "aerr_close", "aerr_wait", "aerr_report");
    save("android");
  }

  @Test
  @Config(sdk = 35, qualifiers = Screens.TABLET)
  public void systemAppNotRespondingOnTablet() throws Exception {
    systemDialog("Camera isn't responding", "app_anr_dialog", "aerr_close", "aerr_wait");
    save("android");
  }

  @Test
  public void datePickerCalendar() throws Exception {
    open();
    new DatePickerDialog(activity, android.R.style.Theme_Material_Light_Dialog_Alert, null, 2026, 1, 14).show();
    save();
  }

  @Test
  @Config(sdk = 28, qualifiers = Screens.LANDSCAPE)
  public void datePickerYears() throws Exception {
    open();
    DatePickerDialog dialog = new DatePickerDialog(activity, android.R.style.Theme_Material_Light_Dialog_Alert, null, 2026, 1, 14);
    dialog.show();
    settle();
    dialog.findViewById(make.framework("id", "date_picker_header_year")).performClick();
    save();
  }

  @Test
  @Config(sdk = 26)
  public void datePickerSpinner() throws Exception {
    open();
    new DatePickerDialog(activity, android.R.style.Theme_Holo_Light_Dialog, null, 2026, 1, 14).show();
    save();
  }

  @Test
  public void timePickerClock() throws Exception {
    open();
    new TimePickerDialog(activity, android.R.style.Theme_Material_Light_Dialog_Alert, null, 9, 41, false).show();
    save();
  }

  @Test
  @Config(sdk = 30)
  public void timePickerKeyboard() throws Exception {
    open();
    TimePickerDialog dialog = new TimePickerDialog(activity, android.R.style.Theme_Material_Light_Dialog_Alert, null, 9, 41, true);
    dialog.show();
    settle();
    dialog.findViewById(make.framework("id", "toggle_mode")).performClick();
    save();
  }

  @Test
  @Config(sdk = 28)
  public void timePickerSpinner() throws Exception {
    open();
    new TimePickerDialog(activity, android.R.style.Theme_Holo_Light_Dialog, null, 23, 5, false).show();
    save();
  }

  @Test
  @Config(sdk = 33)
  public void progressSpinning() throws Exception {
    open();
    ProgressDialog.show(activity, null, "Connecting…", true, false);
    save();
  }

  @Test
  @Config(sdk = 26)
  public void progressBar() throws Exception {
    open();
    ProgressDialog dialog = new ProgressDialog(activity);
    dialog.setProgressStyle(ProgressDialog.STYLE_HORIZONTAL);
    dialog.setTitle("Downloading");
    dialog.setMax(120);
    dialog.setProgress(45);
    dialog.setButton(DialogInterface.BUTTON_NEGATIVE, "Cancel", NOTHING);
    dialog.show();
    dialog.setProgress(45);
    save();
  }
}
