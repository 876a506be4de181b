"""Short names of keys in announcements, as Home Assistant documents them, and what ``~`` stands for.

    bri_stat_t  =  bri + stat_t  →  brightness + state_topic  =  brightness_state_topic

Most are made of a subject and an ending, so the table is written as those; the rest stand alone. A key that
is no abbreviation stays as it is. Names that it dropped since are kept: devices outlive versions.

Reference: home-assistant.io, MQTT integration, "Supported abbreviations" (components, device, origin).
"""

from collections.abc import Mapping
from typing import Any

_ENDINGS = """
cmd_t=command_topic cmd_tpl=command_template e=encoding k=kelvin list=list lst=list mode=mode
off_tpl=off_template on_tpl=on_template scl=scale stat_t=state_topic stat_tpl=state_template t=topic
tpl=template unit=unit val_tpl=value_template
"""

_SUBJECTS = """
act=action: t tpl | aux=aux: cmd_t stat_t stat_tpl | avty=availability: mode t tpl | b=blue: tpl
away_mode=away_mode: cmd_t stat_t stat_tpl | bat_lev=battery_level: t tpl
bri=brightness: cmd_t cmd_tpl scl stat_t tpl val_tpl | chrg=charging: t tpl | cln=cleaning: t tpl
clr_temp=color_temp: cmd_t cmd_tpl k stat_t tpl val_tpl | clrm=color_mode: stat_t val_tpl
cmd=command: off_tpl on_tpl t tpl | curr_hum=current_humidity: t tpl | curr_temp=current_temperature: t tpl
dir=direction: cmd_t cmd_tpl stat_t val_tpl | dock=docked: t tpl | err=error: t tpl
fan_mode=fan_mode: cmd_t cmd_tpl stat_t stat_tpl | fanspd=fan_speed: lst t tpl
fx=effect: cmd_t cmd_tpl list stat_t tpl val_tpl | g=green: tpl | hold=hold: cmd_t cmd_tpl stat_t stat_tpl
hs=hs: cmd_t cmd_tpl stat_t val_tpl | hum=target_humidity: cmd_t cmd_tpl stat_t stat_tpl | img=image: e t
json_attr=json_attributes: t tpl | l_ver=latest_version: t tpl | lrst=last_reset: t val_tpl
mode=mode: cmd_t cmd_tpl stat_t stat_tpl | osc=oscillation: cmd_t cmd_tpl stat_t val_tpl
pct=percentage: cmd_t cmd_tpl stat_t val_tpl | pos=position: t tpl | pow=power: cmd_t cmd_tpl stat_t stat_tpl
pr_mode=preset_mode: cmd_t cmd_tpl stat_t val_tpl | r=red: tpl | rgb=rgb: cmd_t cmd_tpl stat_t val_tpl
rgbw=rgbw: cmd_t cmd_tpl stat_t val_tpl | rgbww=rgbww: cmd_t cmd_tpl stat_t val_tpl
set_fan_spd=set_fan_speed: t | set_pos=set_position: t tpl | send_cmd=send_command: t
spd=speed: cmd_t stat_t val_tpl | stat=state: t tpl val_tpl
swing_mode=swing_mode: cmd_t cmd_tpl stat_t stat_tpl
swing_h_mode=swing_horizontal_mode: cmd_t cmd_tpl stat_t stat_tpl
temp=temperature: cmd_t cmd_tpl stat_t stat_tpl unit
temp_hi=temperature_high: cmd_t cmd_tpl stat_t stat_tpl
temp_lo=temperature_low: cmd_t cmd_tpl stat_t stat_tpl
tilt_cmd=tilt_command: t tpl | tilt_status=tilt_status: t tpl | url=url: t tpl | val=value: tpl
whit=white: cmd_t scl | whit_val=white_value: cmd_t scl stat_t tpl | xy=xy: cmd_t cmd_tpl stat_t val_tpl
"""

_ALONE = """
atype=automation_type av_tones=available_tones avty=availability clrm=color_mode cmps=components
cod_arm_req=code_arm_required cod_dis_req=code_disarm_required cod_trig_req=code_trigger_required
cont_type=content_type def_ent_id=default_entity_id dev=device dev_cla=device_class dsp_prc=display_precision
e=encoding en=enabled_by_default ent_cat=entity_category ent_pic=entity_picture evt_typ=event_types
exp_aft=expire_after flsh=flash flsh_tlng=flash_time_long flsh_tsht=flash_time_short frc_upd=force_update
hum_state_tpl=target_humidity_state_template ic=icon init=initial json_attr=json_attributes
max_hum=max_humidity max_k=max_kelvin max_mirs=max_mireds migr_discvry=migrate_discovery min_hum=min_humidity
min_k=min_kelvin min_mirs=min_mireds o=origin obj_id=object_id off_dly=off_delay on_cmd_type=on_command_type
ops=options opt=optimistic p=platform pl=payload pos=reports_position pos_clsd=position_closed
pos_open=position_open pow_cmd_t=power_command_topic pr_modes=preset_modes ptrn=pattern rel_s=release_summary
rel_u=release_url ret=retain spd_rng_max=speed_range_max spd_rng_min=speed_range_min spds=speeds
src_type=source_type stat_cla=state_class stat_closing=state_closing stat_clsd=state_closed
stat_jam=state_jammed stat_locked=state_locked stat_locking=state_locking stat_off=state_off stat_on=state_on
stat_open=state_open stat_opening=state_opening stat_stopped=state_stopped stat_unlocked=state_unlocked
stat_unlocking=state_unlocking stype=subtype sug_dsp_prc=suggested_display_precision
sup_clrm=supported_color_modes sup_dur=support_duration sup_feat=supported_features
sup_vol=support_volume_set t=topic tilt_clsd_val=tilt_closed_value tilt_inv_stat=tilt_invert_state
tilt_opnd_val=tilt_opened_value tilt_opt=tilt_optimistic tit=title trns=transition uniq_id=unique_id
unit_of_meas=unit_of_measurement
"""

_PAYLOADS = """
arm_away arm_custom_b=arm_custom_bypass arm_home arm_nite=arm_night arm_vacation avail=available
cln_sp=clean_spot cls=close dir_fwd=direction_forward dir_rev=direction_reverse disarm hi_spd=high_speed home
inst=install lo_spd=low_speed loc=locate lock med_spd=medium_speed not_avail=not_available not_home off
off_spd=off_speed on open osc_off=oscillation_off osc_on=oscillation_on paus=pause prs=press
ret=return_to_base rst=reset rst_hum=reset_humidity rst_mode=reset_mode rst_pct=reset_percentage
rst_pr_mode=reset_preset_mode stop stop_tilt stpa=start_pause strt=start toff=turn_off ton=turn_on
trig=trigger unlk=unlock
"""


def _table() -> dict[str, str]:
    found, endings_of = (dict(each.split("=") for each in table.split()) for table in (_ALONE, _ENDINGS))
    for subject in _SUBJECTS.replace("\n", "|").split("|"):
        if subject.strip():
            names, endings = subject.split(":")
            short, full = names.strip().split("=")
            found |= {f"{short}_{each}": f"{full}_{endings_of[each]}" for each in endings.split()}
    for each in _PAYLOADS.split():
        short, _, full = each.partition("=")
        found[f"pl_{short}"] = f"payload_{full or short}"
    return found


COMPONENT = _table()
DEVICE = {
    "cns": "connections", "cu": "configuration_url", "hw": "hw_version", "ids": "identifiers",
    "mdl": "model", "mdl_id": "model_id", "mf": "manufacturer", "sa": "suggested_area",
    "sn": "serial_number", "sw": "sw_version",
}  # fmt: skip
ORIGIN = {"sw": "sw_version", "url": "support_url"}


def expanded(found: Mapping[str, Any], table: Mapping[str, str] = COMPONENT) -> dict[str, Any]:
    """Return an object with its keys in full; a key that is given in full as well stands."""
    full = {table.get(key, key): value for key, value in found.items()}
    return full if len(full) == len(found) else {**full, **{k: v for k, v in found.items() if k in full}}


def with_base(topic: str, base: str | None) -> str:
    """Return a topic with ``~`` at its start or its end replaced."""
    if base is None or "~" not in (topic[:1], topic[-1:]):
        return topic
    return topic[:-1] + base if topic.endswith("~") else base + topic[1:]
