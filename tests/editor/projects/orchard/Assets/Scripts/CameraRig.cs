using UnityEngine;

public class CameraRig : MonoBehaviour {}
